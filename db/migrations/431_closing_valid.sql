-- In steps
alter table questions validate constraint questions_closing_reason_known;
alter table questions validate constraint questions_closed_for_a_reason;
alter table questions validate constraint questions_closed_at_of_closed;
