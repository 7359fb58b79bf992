// Replies of an API that lies about the log to the dashboard, for one activity.
import { randomBytes } from "node:crypto"
import type { Test } from "tap"
import { readNote, signNote, writeNote } from "../../../signer/core/log/note.ts"
import { writeNoteKey } from "../../../signer/core/log/note-key.ts"
import { checkInLog, type LogCheck } from "../../../services/dashboard/api/log-check.ts"
import { newWitnessKey } from "../../harness/witness-keys.ts"

type Asked = Parameters<typeof checkInLog>[0]
type Reply = { [member: string]: unknown }
/** Changes the reply of a query, in place. */
type Altering = { readonly [query: string]: (reply: Reply) => void }

const pause = () => Promise.resolve()
const flip = (hex: unknown) => `${String(hex).slice(0, -2)}${String(hex).endsWith("00") ? "01" : "00"}`
const decisionsOf = (reply: Reply) => reply["decisions"] as Reply[]
const leavesOf = (reply: Reply) => (reply["leaves"] ?? []) as Reply[]

/** Each lie with the verdict about it. */
const LIES: readonly (readonly [
  why: string,
  Altering,
  Partial<Omit<LogCheck, "sentence">> & { sentence: RegExp },
])[] = [
  [
    "no receipt",
    { list_decision_receipts: (reply) => (reply["decisions"] = []) },
    { verdict: "partly", sentence: /no receipt/ },
  ],
  [
    "another salt",
    { list_decision_receipts: (reply) => (decisionsOf(reply)[0]!["salt"] = randomBytes(32).toString("hex")) },
    { verdict: "false", sentence: /does not hold: .*tell the operator/ },
  ],
  [
    "another leaf",
    { get_log_proofs: (reply) => leavesOf(reply).forEach((leaf) => (leaf["leaf"] = flip(leaf["leaf"]))) },
    { verdict: "false", sentence: /is not in the tree/ },
  ],
  [
    "a head that the log's key did not sign",
    {
      get_log_proofs: (reply) =>
        (reply["checkpoint"] = String(reply["checkpoint"]).replace(/\n\d+\n/, "\n99999\n")),
    },
    { verdict: "false", sentence: /did not sign the checkpoint/ },
  ],
  [
    "an old head statement",
    { get_organization_head: (reply) => (reply["signature"] = flip(reply["signature"])) },
    { verdict: "false", sentence: /does not hold/ },
  ],
  [
    "no leaf yet",
    {
      list_decision_receipts: (reply) => decisionsOf(reply).forEach((one) => (one["leafIndex"] = "9000000")),
      get_log_proofs: (reply) => delete reply["leaves"],
    },
    { verdict: "waiting", sentence: /nothing is proven/ },
  ],
  [
    "a decision that is to come, beside an altered one",
    {
      list_decision_receipts: (reply) => {
        const [one] = decisionsOf(reply)
        decisionsOf(reply).push({ ...one, voteId: one!["activityId"], leafIndex: "9000000" })
        one!["salt"] = randomBytes(32).toString("hex")
      },
    },
    { verdict: "false", sentence: /does not open/ },
  ],
  [
    "a log that was given up",
    { list_decision_receipts: (reply) => decisionsOf(reply).forEach((one) => (one["logOrigin"] += "/1")) },
    { verdict: "partly", sentence: /gave up/ },
  ],
]

/** Judges the truth, then each lie. `asked`: the activity as it is shown, with replies that are true. */
export async function judgeLies(t: Test, asked: Omit<Asked, "pause" | "witnesses">): Promise<void> {
  const check = (altering: Altering, more: Partial<Asked> = {}) =>
    checkInLog({
      ...asked,
      witnesses: [],
      pause,
      ...more,
      ask: async <R>(query: string, members: object) => {
        const reply = structuredClone(await asked.ask<Reply>(query, members))
        altering[query]?.(reply)
        return reply as R
      },
    })
  t.match(await check({}), {
    verdict: "logged",
    sentence:
      /^Its one decision is in the signer’s log under head [\d,]+, and .* no keys of witnesses.*does not prove/,
  })
  for (const [why, altering, verdict] of LIES) t.match(await check(altering), verdict, why)
  const [one, other] = [newWitnessKey("witness.example/1"), newWitnessKey("witness.example/2")]
  const cosigned = (reply: Reply) => {
    const note = readNote(Buffer.from(String(reply["checkpoint"])))!
    const signature = signNote(one, note.text, 1_800_000_000)
    reply["checkpoint"] = writeNote({ ...note, signatures: [...note.signatures, signature] })
  }
  const witnesses = [one, other].map(({ key }) => writeNoteKey(key))
  t.match(await check({ get_log_proofs: cosigned }, { witnesses }), {
    sentence: /seen by 1 of 2 witnesses\./,
  })
  const altered = { ...asked.activity, status: "ACTIVITY_STATUS_REJECTED" }
  t.match(await check({}, { activity: altered }), { verdict: "false" }, "another activity than the one shown")
  const foreign = { ...asked.pins, notarizerPublicKey: `${"04".repeat(65)}${"04".repeat(65)}` }
  t.match(await check({}, { pins: foreign }), { verdict: "false", sentence: /did not certify/ }, "other pins")
}
