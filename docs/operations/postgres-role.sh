#!/bin/sh
# The role and the database of Homeroom, for an empty Postgres in a container: compose.yaml mounts this file where the
# image runs it once, as the superuser. The role makes roles and schemas and is no superuser. More nodes: nodes.md.
set -eu

psql --no-psqlrc --set ON_ERROR_STOP=1 --set password="$HOMEROOM_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE homeroom LOGIN CREATEROLE PASSWORD :'password';
CREATE DATABASE homeroom OWNER homeroom;
SQL
