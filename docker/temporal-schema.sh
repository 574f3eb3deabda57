#!/bin/sh
# Migrates Temporal's databases to the schema of this release. A second run completes an interrupted one.
set -eu
SQL_PASSWORD="$(cat "${SECRETS:-/run/secrets}/temporal_password")"
export SQL_PASSWORD
export SQL_PLUGIN=postgres12 SQL_PORT="${SQL_PORT:-5432}"
tool="${TEMPORAL_SQL_TOOL:-temporal-sql-tool}"

prepare() {
  # Fails if the tables exist; update-schema then reports whether they are valid.
  "$tool" --database "$1" setup-schema -v 0.0 >/dev/null 2>&1 || true
  "$tool" --database "$1" update-schema --schema-name "postgresql/v12/$2"
}
prepare temporal temporal
prepare temporal_visibility visibility
