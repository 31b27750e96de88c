-- Apart from what refers to replies: a file that locks both may make a post wait for it while it waits for the post.
alter table conversions add constraint conversions_answer_fkey foreign key (answer_id) references answers (id) on delete cascade;
alter table conversion_undos add constraint conversion_undos_answer_fkey foreign key (answer_id) references answers (id) on delete set null;
