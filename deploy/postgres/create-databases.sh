#!/bin/sh
# A database and a role for each environment; neither role can connect to the other's database.
# Run by the postgres image on its first start, or by hand with PGHOST, PGUSER and PGPASSWORD set.
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
