#!/bin/sh
# Creates a database and a role for each environment; neither role can connect to the other's database.
# The postgres image runs this at its first start. By hand, set PGHOST, PGUSER and PGPASSWORD first.
set -eu

create() {
  name=$1
  password=$2
  psql --set=ON_ERROR_STOP=1 --dbname=postgres --set=name="$name" --set=password="$password" <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name" template template0 encoding 'UTF8';
revoke all on database :"name" from public;
SQL
}

create bellhop_production "$PRODUCTION_DATABASE_PASSWORD"
create bellhop_sandbox "$SANDBOX_DATABASE_PASSWORD"
