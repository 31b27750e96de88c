-- Who reported something objects to the outcome as the person whom a measure is about objects to that: an objection is to one of the two.
alter table objections drop constraint objections_pkey;
alter table objections add column id bigint generated always as identity primary key;
alter table objections alter column measure_id drop not null;
alter table objections add column report_id bigint;
alter table objections add constraint objections_measure_key unique (measure_id);
alter table objections add constraint objections_report_key unique (report_id);
alter table objections add constraint objections_report_fkey foreign key (report_id) references reports (id) on delete cascade;
alter table objections add constraint objections_to_one check (num_nonnulls(measure_id, report_id) = 1);
comment on column objections.measure_id is 'objected to by the person whom it is about';
comment on column objections.report_id is 'of a decided case: objected to by who reported, as less was done than they asked';
comment on column objections.outcome is 'keep: the decision stays; lift: the measure ends, or what was reported is looked at again';
