-- Sessions that ended, and roles and follows that end with a membership.

-- A trigger, because sessions end in many ways: signed out, ended elsewhere, by a new password, by time.
create or replace function remember_ended_session() returns trigger language plpgsql as $$
begin
  -- Sessions that are deleted together with their person leave nothing.
  insert into ended_sessions (token_hash, person_id)
  select old.token_hash, id from people where id = old.person_id
  on conflict do nothing;
  if is_announced() then
    perform invalidate(json_build_object('person', old.person_id, 'scopes', array[]::text[]));
  end if;
  return null;
end $$;
create trigger sessions_ended after delete on sessions for each row execute function remember_ended_session();

-- A role that is changed by hand, or taken away, is the claim's no more.
create or replace function forget_claimed_role() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.role = new.role then return null; end if;
  delete from claimed_roles where course_id = old.course_id and person_id = old.person_id;
  return null;
end $$;
create trigger course_members_forget_claim after update or delete on course_members
  for each row execute function forget_claimed_role();

-- A role that is given back, as when a deleted course is restored, is no appointment: who had unfollowed the course still has.
create or replace function forget_learners_no() returns trigger language plpgsql as $$
begin
  if new.role = 'learner' or coalesce(old.role, 'learner') <> 'learner' then return null; end if;
  if coalesce(current_setting('handup.restoring', true), '') = 'on' then return null; end if;
  delete from course_follows where course_id = new.course_id and person_id = new.person_id and not is_followed;
  return null;
end $$;
create trigger course_members_follow_appointed after insert or update on course_members
  for each row execute function forget_learners_no();

-- What waited only for the address of its author to be confirmed waits no more.
create or replace function release_unconfirmed() returns trigger language plpgsql as $$
begin
  insert into jobs (kind, key) values ('release', new.id::text);
  return null;
end $$;
create trigger people_release_unconfirmed after update of email_confirmed_at on people
  for each row when (old.email_confirmed_at is null and new.email_confirmed_at is not null and new.new_until is not null)
  execute function release_unconfirmed();

-- Who came with an import and is gone is known by a hash of the id there: a newer import of the same finds them, and says no name.
create or replace function forget_imported() returns trigger language plpgsql as $$
begin
  update imported_people set is_gone = true,
    external_id = '~nameless ' || encode(sha256(convert_to(external_id, 'UTF8')), 'hex')
  where person_id = new.id and not is_gone;
  return null;
end $$;
create trigger people_forget_imported after update of left_at on people
  for each row when (old.left_at is null and new.left_at is not null) execute function forget_imported();
