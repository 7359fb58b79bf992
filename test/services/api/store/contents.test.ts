// Contents of an activity in its row: nothing twice, and nothing different.
import t, { type Test } from "tap"
import {
  type Contents,
  packContents,
  textLength,
  unpackContents,
} from "../../../../services/api/store/contents.ts"
import { nextId, sampleVote } from "./sample.ts"

const USER = nextId()
const parameters = { signWith: "0xab", payload: "00".repeat(200), encoding: "PAYLOAD_ENCODING_HEXADECIMAL" }
const envelope = {
  type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  timestampMs: "1",
  organizationId: nextId(),
  parameters,
}
const compact = JSON.stringify(envelope)

function contents(message: string, given: Partial<Contents> = {}): Contents {
  const createdMs = 1_700_000_000_123
  const votes = [sampleVote({ userId: USER, createdMs, message })]
  const intent = `{"signRawPayloadIntentV2":${JSON.stringify(parameters)}}`
  return { userId: USER, createdMs, intent, votes, result: null, appProofs: null, ...given }
}

/** Bytes of contents, once they were read again and were the same. */
function kept(t: Test, given: Contents): number {
  const bytes = Buffer.from(packContents(given), "hex")
  t.strictSame({ ...unpackContents(bytes, given), userId: USER, createdMs: given.createdMs }, given)
  return bytes.length
}

t.test("an intent that its body says word for word is not kept beside it", async (t) => {
  const once = kept(t, contents(compact))
  const spaced = JSON.stringify(envelope, undefined, 1)
  const python = compact.replaceAll('":', '": ').replaceAll(',"', ', "')
  const escaped = compact.replace("0xab", String.raw`\u0030xab`)
  for (const body of [spaced, python, escaped])
    t.ok(kept(t, contents(body)) < once + 60, `other spelling of the same: ${body.slice(0, 40)}`)
  const more = JSON.stringify({ ...envelope, parameters: { ...parameters, later: "member", none: null } })
  t.ok(kept(t, contents(more)) > once + 200, "with unknown members the intent is another text")
})

t.test("bodies of no known form are kept as they are", async (t) => {
  for (const body of [
    "",
    "{",
    "[]",
    "null",
    '{"parameters":null}',
    '{"parameters":[1]}',
    '{"parameters":1e400}',
    "é\u0000",
  ])
    for (const intent of ["{}", '{"":1}', '{"a":null}', '{"a":[1]}', contents("").intent])
      kept(t, contents(body, { intent }))
  kept(t, contents("", { votes: [] }))
})

t.test("votes keep what they do not share with their activity", async (t) => {
  const given = contents(compact)
  const [own] = given.votes
  const approval = JSON.stringify({
    type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
    parameters: { fingerprint: "sha256:00" },
  })
  const votes = [
    own!,
    sampleVote({
      message: compact,
      policyOutcomes: [
        [nextId(), 1],
        [nextId(), 4],
      ],
      voterIds: [nextId()],
    }),
    sampleVote({
      message: approval,
      selection: "VOTE_SELECTION_REJECTED",
      signature: '{"clientDataJson":"e30"}',
    }),
    sampleVote({ userId: USER, message: compact, mfaStatuses: [{ userId: USER, satisfied: true }] }),
  ]
  kept(t, { ...given, votes })
})

t.test("texts are counted as they are shown: a body for each of its votes", async (t) => {
  const given = contents(compact, { result: "{}", appProofs: "[]" })
  const twice = { ...given, votes: [...given.votes, ...given.votes] }
  t.ok(textLength(given) >= given.intent.length + compact.length + 4)
  t.ok(textLength(twice) - textLength(given) >= compact.length)
})
