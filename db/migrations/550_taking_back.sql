-- What a run brought can be taken back for a while after it was shown: in steps, between which the run is 'taking-back'.
alter table import_runs add column takes_answers boolean not null default false;
alter table import_runs drop constraint import_runs_state_known;
alter table import_runs add constraint import_runs_state_known check (state in ('reading', 'shown', 'taking-back', 'taken-back'));
alter table import_runs add constraint import_runs_takes_answers check (not takes_answers or state in ('taking-back', 'taken-back'));
comment on column import_runs.takes_answers is 'taking it back, what people here have added since goes as well';
