-- Whether programs that answer for a person (agents) may come to the forum, and which; and in which courses.
alter table site_settings add column agents text not null default 'off';
alter table site_settings add column agent_domains text[] not null default '{}';
alter table site_settings add constraint site_settings_agents_known check (agents in ('off', 'any', 'domains', 'registered'));
alter table site_settings add constraint site_settings_agent_domains_bounded check (cardinality(agent_domains) <= 100);
comment on column site_settings.agents is 'off: there are none; which clients may ask people for access: any, those of agent_domains, those that admins registered';
alter table courses add column agents text;
alter table courses add constraint courses_agents_known check (agents in ('nobody', 'staff', 'readers'));
comment on column courses.agents is 'whose agents may read it; null: everyone who reads it in a public course, its staff in a private one';
