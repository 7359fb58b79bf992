// Changes made in the dashboard, with an API that answers with another activity than the one that was stamped.
import { createHash } from "node:crypto"
import t, { type Test } from "tap"
import { activityBody, submit } from "../../../services/dashboard/api/client.ts"
import { generateKey } from "../../../services/dashboard/api/keys.ts"
import { login } from "../../../services/dashboard/api/login.ts"

const ORGANIZATION = "6f0b7c1e-1111-4222-8333-444455556666"
const DIGITS = "cd".repeat(32)

/** A browser that is logged in, and an API that answers every submission so. */
async function browser(t: Test, activity: (body: string) => object | undefined) {
  const fetched = async (url: string, init: { body: string }) =>
    Response.json(
      url === "/config.json" ? { apiUrl: "https://api.example" } : { activity: activity(init.body) },
    )
  t.intercept(globalThis, "fetch", { value: fetched })
  const person = { organizationId: ORGANIZATION, organizationName: "Acme", userId: "u", username: "root" }
  login.value = { ...person, by: "key", key: await generateKey(), expiresAtMs: Date.now() + 60_000 }
}

const digest = (body: string) => createHash("sha256").update(body).digest("hex")

t.test("W24: an answer with another activity is no receipt", async (t) => {
  const body = activityBody("ACTIVITY_TYPE_CREATE_WALLET", { walletName: "A", accounts: [] }, ORGANIZATION)
  await browser(t, (sent) => ({ id: "a", fingerprint: `sha256:${digest(sent)}` }))
  t.match(await submit("create_wallet", body), { id: "a" })
  for (const other of [{ id: "a", fingerprint: `sha256:${DIGITS}` }, { id: "a" }, undefined]) {
    await browser(t, () => other)
    await t.rejects(submit("create_wallet", body), { reason: "ANSWER_DIFFERS", message: /another activity/ })
  }
})

t.test("W24: the answer to a vote is the activity that was voted on", async (t) => {
  const fingerprint = `sha256:${DIGITS}`
  const body = activityBody("ACTIVITY_TYPE_APPROVE_ACTIVITY", { fingerprint }, ORGANIZATION)
  await browser(t, () => ({ id: "a", fingerprint }))
  t.match(await submit("approve_activity", body), { id: "a" })
  for (const other of [(sent: string) => `sha256:${digest(sent)}`, () => DIGITS]) {
    await browser(t, (sent) => ({ id: "a", fingerprint: other(sent) }))
    await t.rejects(submit("approve_activity", body), {
      reason: "ANSWER_DIFFERS",
      message: /another activity/,
    })
  }
})
