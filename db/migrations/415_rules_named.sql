-- The form of a case begins with the rule that staff of its course named last for its ground.
create index cases_rules_named on cases (course_id, reason, decided_at) where state = 'upheld' and rule <> '';
