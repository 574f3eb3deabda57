import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"

/** Secrets of the inbound webhooks in tests, by environment variable. */
export const webhookEnv = {
  GH: "github-secret",
  SL: "slack-secret",
  STD: Buffer.from("standard-secret-bytes").toString("base64"),
}

/** One inbound webhook of each kind. */
export const webhookConfig = {
  inbound: {
    gh: { type: "github" as const, secretEnv: "GH", approvers: ["Octocat"] },
    chat: { type: "slack" as const, secretEnv: "SL", approvers: ["U123"] },
    ci: { type: "standard" as const, secretEnv: "STD" },
  },
}

/** Returns the body of GitHub's webhook about a comment. */
export const comment = (
  body: string,
  change: { login?: string; createdAt?: string; action?: string; repository?: string } = {},
): string =>
  JSON.stringify({
    action: change.action ?? "created",
    comment: {
      id: 1,
      body,
      created_at: change.createdAt ?? new Date().toISOString(),
      user: { login: change.login ?? "octocat" },
    },
    ...(change.repository === undefined ? {} : { repository: { full_name: change.repository } }),
    sender: { login: "octocat" },
  })

/** Returns the headers with which GitHub signs a body. */
export const github = (payload: string, secret = webhookEnv.GH) => ({
  "content-type": "application/json",
  "x-github-event": "issue_comment",
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(payload).digest("hex")}`,
})

/** Returns the body of a pressed button in Slack. */
export const slackBody = (
  value: object,
  user = "U123",
  message: { readonly message?: object; readonly response_url?: string } = {},
): string =>
  new URLSearchParams({
    payload: JSON.stringify({
      type: "block_actions",
      user: { id: user },
      ...message,
      actions: [{ value: JSON.stringify(value) }],
    }),
  }).toString()

/** Returns the headers with which Slack signs a body. */
export const slack = (payload: string, at = Date.now()) => {
  const timestamp = String(Math.floor(at / 1_000))
  const signature = createHmac("sha256", webhookEnv.SL).update(`v0:${timestamp}:${payload}`).digest("hex")
  return {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": timestamp,
    "x-slack-signature": `v0=${signature}`,
  }
}

/** Returns the headers with which the holder of a secret signs a body. */
export const signedBy = (secret: string, payload: string, { id = "msg_1", at = new Date() } = {}) => ({
  "content-type": "application/json",
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
  "webhook-signature": new Webhook(secret).sign(id, at, payload),
})

/** Returns the headers with which a program signs a body. */
export const standard = (payload: string, id = "msg_1", at = new Date()) =>
  signedBy(webhookEnv.STD, payload, { id, at })
