alter table reports validate constraint reports_network_mark_small;
