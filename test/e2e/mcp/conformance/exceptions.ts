import type { Revision } from "./run-suite.ts"

/** Checks that fail because they do not apply, by scenario. */
export interface Exceptions {
  readonly reason: string
  readonly checks: Readonly<Record<string, readonly string[]>>
}

type ByRevision = Readonly<Record<Revision, readonly Exceptions[]>>

/** Of a server with the tools of the suite on Adjutant's transport. The scenarios of the Tasks extension, which it does not have, are left out. */
export const fixtureExceptions: ByRevision = {
  "2025-11-25": [
    {
      reason: "A server of one request cannot ask a client of an older revision, and has no subscriptions.",
      checks: {
        "elicitation-sep1034-defaults": ["elicitation-sep1034-general"],
        "elicitation-sep1330-enums": ["elicitation-sep1330-general"],
        "resources-subscribe": ["resources-subscribe"],
        "resources-unsubscribe": ["resources-unsubscribe"],
        "tools-call-elicitation": ["tools-call-elicitation"],
        "tools-call-sampling": ["tools-call-sampling"],
      },
    },
  ],
  "2026-07-28": [
    {
      reason: "No tool maps an argument to a header.",
      checks: {
        "http-custom-header-server-validation": [
          "sep-2243-server-decode-base64",
          "sep-2243-server-no-xmcp-tool",
          "sep-2243-server-reject-invalid-param-chars",
          "sep-2243-server-reject-param-mismatch",
          "sep-2243-server-validate-param-match",
        ],
      },
    },
  ],
}

/** Of Adjutant's own server. */
export const productExceptions: ByRevision = {
  "2025-11-25": [
    {
      reason: "Adjutant has no prompts and completes only the ids of tasks.",
      checks: {
        "completion-complete": ["completion-complete"],
        "prompts-get-embedded-resource": ["prompts-get-embedded-resource"],
        "prompts-get-simple": ["prompts-get-simple"],
        "prompts-get-with-args": ["prompts-get-with-args"],
        "prompts-get-with-image": ["prompts-get-with-image"],
        "prompts-list": ["prompts-list"],
      },
    },
    {
      reason: "Adjutant sends no log messages to clients.",
      checks: { "logging-set-level": ["logging-set-level"], "tools-call-with-logging": ["tools-call-with-logging"] },
    },
    {
      reason: "Its resources have no subscriptions: clients follow a task with wait_for_tasks or the Tasks extension.",
      checks: { "resources-subscribe": ["resources-subscribe"], "resources-unsubscribe": ["resources-unsubscribe"] },
    },
    {
      reason:
        "Each request over HTTP has a server of its own, so that the server cannot ask clients of older revisions.",
      checks: {
        "elicitation-sep1034-defaults": ["elicitation-sep1034-general"],
        "elicitation-sep1330-enums": ["elicitation-sep1330-general"],
        "tools-call-elicitation": ["tools-call-elicitation"],
        "tools-call-sampling": ["tools-call-sampling"],
      },
    },
    {
      reason:
        "These scenarios call tools or resources of the suite by name; the first part of the test runs them on the same transport.",
      checks: {
        "json-schema-2020-12": ["json-schema-2020-12-tool-found"],
        "resources-read-binary": ["resources-read-binary"],
        "resources-read-text": ["resources-read-text"],
        "resources-templates-read": ["resources-templates-read"],
        "tools-call-audio": ["tools-call-audio"],
        "tools-call-embedded-resource": ["tools-call-embedded-resource"],
        "tools-call-error": ["tools-call-error"],
        "tools-call-image": ["tools-call-image"],
        "tools-call-mixed-content": ["tools-call-mixed-content"],
        "tools-call-simple-text": ["tools-call-simple-text"],
        "tools-call-with-progress": ["tools-call-with-progress"],
      },
    },
  ],
  "2026-07-28": [
    {
      reason: "No tool maps an argument to a header.",
      checks: {
        "http-custom-header-server-validation": [
          "sep-2243-server-decode-base64",
          "sep-2243-server-no-xmcp-tool",
          "sep-2243-server-reject-invalid-param-chars",
          "sep-2243-server-reject-param-mismatch",
          "sep-2243-server-validate-param-match",
        ],
      },
    },
    {
      reason:
        "These scenarios start tasks with tools of the suite; tasks-extension.test.ts covers the extension with Adjutant's own tools.",
      checks: {
        "tasks-capability-negotiation": ["sep-2663-server-rejects-undeclared-client", "tasks-per-request-meta-opt-in"],
        "tasks-dispatch-and-envelope": [
          "sep-2663-durable-create-strong-consistency",
          "sep-2663-legacy-task-param-ignored",
          "tasks-immediate-result-shortcut",
          "tasks-result-type-complete-on-non-task-responses",
          "tasks-server-directed-creation-no-hint",
        ],
        "tasks-lifecycle": [
          "sep-2663-cancel-ack-empty-result",
          "sep-2663-result-type-task-on-create",
          "sep-2663-tasks-get-status-completed",
          "sep-2663-tasks-get-status-failed",
          "sep-2663-tasks-get-status-working",
          "sep-2663-tool-error-uses-completed-status",
          "tasks-cancel-terminal-idempotent-ack",
          "tasks-sync-tool-call",
        ],
        "tasks-mrtr-composition": ["sep-2663-mrtr-synchronous-before-task-creation"],
        "tasks-mrtr-input": [
          "sep-2663-tasks-get-status-input-required",
          "tasks-mrtr-partial-fulfillment",
          "tasks-mrtr-tasks-update-resumes",
        ],
        "tasks-request-headers": [
          "sep-2663-routing-headers-accepted-on-tasks-get",
          "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
          "tasks-headers-tolerate-mcp-method-on-tools-call",
        ],
        "tasks-request-state-removal": ["tasks-request-state-removal-setup"],
        "tasks-required-task-error": ["sep-2663-server-returns-missing-capability-when-required"],
        "tasks-wire-fields": [
          "tasks-no-early-ttl-expiry",
          "tasks-no-related-task-meta-on-inlined-result",
          "tasks-wire-field-renames",
        ],
      },
    },
    {
      reason: "Adjutant has no prompts and completes only the ids of tasks.",
      checks: {
        caching: ["sep-2549-prompts-list-caching-hints"],
        "completion-complete": ["completion-complete"],
        "prompts-get-embedded-resource": ["prompts-get-embedded-resource"],
        "prompts-get-simple": ["prompts-get-simple"],
        "prompts-get-with-args": ["prompts-get-with-args"],
        "prompts-get-with-image": ["prompts-get-with-image"],
        "prompts-list": ["prompts-list"],
      },
    },
    {
      reason:
        "These scenarios call tools or resources of the suite by name; the first part of the test runs them on the same transport.",
      checks: {
        "input-required-result-basic-elicitation": ["sep-2322-elicitation-incomplete"],
        "input-required-result-basic-list-roots": ["sep-2322-list-roots-incomplete"],
        "input-required-result-basic-sampling": ["sep-2322-sampling-incomplete"],
        "input-required-result-capability-check": ["sep-2322-respect-client-capabilities"],
        "input-required-result-multi-round": ["sep-2322-multi-round-r1"],
        "input-required-result-multiple-input-requests": ["sep-2322-multiple-inputs-incomplete"],
        "input-required-result-non-tool-request": ["sep-2322-non-tool-incomplete"],
        "input-required-result-request-state": ["sep-2322-request-state-incomplete"],
        "input-required-result-result-type": ["sep-2322-result-type-included"],
        "input-required-result-tampered-state": ["sep-2322-reject-tampered-state"],
        "json-schema-2020-12": ["json-schema-2020-12-tool-found"],
        "resources-read-binary": ["resources-read-binary"],
        "resources-read-text": ["resources-read-text"],
        "resources-templates-read": ["resources-templates-read"],
        "server-stateless": [
          "sep-2575-http-server-no-independent-requests-on-stream",
          "sep-2575-missing-capability-http-400",
          "sep-2575-server-no-log-without-loglevel",
          "sep-2575-server-rejects-undeclared-capability",
        ],
        "tools-call-audio": ["tools-call-audio"],
        "tools-call-embedded-resource": ["tools-call-embedded-resource"],
        "tools-call-error": ["tools-call-error"],
        "tools-call-image": ["tools-call-image"],
        "tools-call-mixed-content": ["tools-call-mixed-content"],
        "tools-call-simple-text": ["tools-call-simple-text"],
        "tools-call-with-progress": ["tools-call-with-progress"],
      },
    },
  ],
}
