-- Names that the version before this one calls, for the minutes of an upgrade without downtime: to be dropped by the version after 0.4.

create or replace function is_told() returns boolean language sql stable as 'select is_announced()';
create or replace function tell_change(message json) returns void language sql as 'select invalidate(message)';
create or replace function tell_own(people bigint[]) returns void language sql as 'select invalidate_own(people)';
create or replace function tell_person(person bigint) returns void language sql as 'select invalidate_person(person)';
create or replace function tell_case_to_staff(matter bigint) returns void language sql as 'select invalidate_own_of_case(matter)';
