-- Where confirming an address leads: the page on which its owner was asked to, a path of the forum.

alter table mail_links add column next_path text,
  add constraint mail_links_next_path_form check (next_path like '/%' and char_length(next_path) <= 4000);
comment on column mail_links.next_path is 'of a link that confirms an address: the page its owner was asked on; null: none';
