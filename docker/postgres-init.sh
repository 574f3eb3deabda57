#!/bin/sh
# Runs once, on an empty data folder. Creates a user and databases for Temporal, and others for the store; neither user can access the other's.
set -eu
secret() { cat "${SECRETS:-/run/secrets}/$1"; }

psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --set ON_ERROR_STOP=1 --quiet \
  --set temporal_password="$(secret temporal_password)" --set store_password="$(secret store_password)" <<'SQL'
create role temporal login password :'temporal_password';
create role adjutant login password :'store_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
create database adjutant owner adjutant encoding 'UTF8' template template0;
revoke connect on database temporal, temporal_visibility, adjutant from public;
SQL
