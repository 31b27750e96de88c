-- In steps
-- over people
update people set is_unclaimed = true
where id > $1 and id <= $2 and not is_unclaimed and left_at is null and email is null
  and exists (select from imported_people as kept where kept.person_id = people.id and not kept.is_gone)
  and not exists (select from linked_accounts as linked where linked.person_id = people.id)
  and not exists (select from passkeys as passkey where passkey.person_id = people.id);
-- Imports made them learners.
-- over people
delete from course_members as member using people, imported_people as kept
where member.person_id > $1 and member.person_id <= $2 and member.role = 'learner'
  and people.id = member.person_id and people.is_unclaimed and kept.person_id = member.person_id and kept.course_id = member.course_id;
create index concurrently if not exists people_unclaimed on people (id) where is_unclaimed;
create index concurrently if not exists people_accounts on people (id) where not is_unclaimed;
alter table people validate constraint people_unclaimed_without_address;
