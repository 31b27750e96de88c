#!/bin/sh
# Run once by the postgres image, in its first start: the forum's own role, which is no superuser, and its database.
# Sorted by ICU's root collation, the same on every machine and for every language.
set -eu
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set "password=$DATABASE_PASSWORD" --username "$POSTGRES_USER" <<'SQL'
set log_min_error_statement = 'panic';
create role handup login createdb password :'password';
create database handup owner handup template template0 encoding 'UTF8'
  locale_provider icu icu_locale 'und' locale 'C.UTF-8';
SQL
