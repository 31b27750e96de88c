-- One plan for all questions: the statement is planned for longer than it runs, and each plan for ids of its own costs as much
-- again with every post.
alter function refresh_desks(bigint[]) set plan_cache_mode = force_generic_plan;
