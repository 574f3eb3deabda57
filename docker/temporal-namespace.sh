#!/bin/sh
# Creates the namespace and the search attributes of sessions.
set -eu
until temporal operator cluster health >/dev/null 2>&1; do sleep 1; done
temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention "${RETENTION:-168h}"

# A new namespace is available everywhere only after some seconds.
for name in AgentStatus AgentProfile RootSession ParentSession; do
  tries=0
  until temporal operator search-attribute list --namespace "$NAMESPACE" | grep -qw "$name" ||
    temporal operator search-attribute create --namespace "$NAMESPACE" --name "$name" --type Keyword; do
    tries=$((tries + 1))
    [ "$tries" -lt 30 ] || exit 1
    sleep 1
  done
done
