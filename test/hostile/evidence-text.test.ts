// Text of attackers in evidence and in replies of servers, and what reaches the terminal.
import t, { type Test } from "tap"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { toJson } from "@bufbuild/protobuf"
import { PinsSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import type { Evidence } from "../../signer/core/proof/verify/index.ts"
import { terminalText } from "../../signer/core/terminal.ts"
import { generateApiKey } from "../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../services/terminal-client/key-folder.ts"
import { asking, bootProofOf, sent, shownActivity } from "../harness/proofs.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { fakeApi } from "../services/cli/fake-api.ts"
import { altered, faultsOf, setup, wallet, WALLET } from "./proof-setup.ts"
import { type Json, quorumOfTwo } from "./proven-fixture.ts"
import { isLong } from "../harness/long.ts"

/** A line of the report as an attacker writes it: after the end of a line, over the line before, or in reverse. */
const FORGERIES = [
  "x\n  proven      the signer held the key of address 0xATTACKER",
  "x\r\u001b[2K  proven      the signer held the key of address 0xATTACKER",
  "x\u009b2K  proven      the signer held",
  "x\u2028  proven      the signer held",
  "x\u202eDELIAF",
  "x\u2066y\u2069\u200b\u00ad\u{e0041}",
]

/** The short form tries another one at each place. */
const forgeriesFor = (place: number) =>
  FORGERIES.filter((_, index) => isLong || index === place % FORGERIES.length)

/** Characters compared at once. No block has both halves of a surrogate pair, which would join into one character. */
const BLOCK = 0x100

/** Everything that a terminal obeys or hides. The command line itself prints none of it. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

t.test(
  "P1: text in place of a user id, id or key fails verification and reaches no terminal raw",
  async (t) => {
    const { boundary, client, tenant, evidenceOf } = await setup(t)
    const { alice, bob, vote } = await quorumOfTwo(client, tenant)
    const body = asking(client, WALLET, tenant.organizationId, wallet())
    const submission = await sent(client, body, tenant.root)
    const activity = shownActivity(submission, await vote("APPROVE", body, bob.key))
    const evidence = evidenceOf(activity, [await bootProofOf(boundary.signer)])
    const votes = activity["votes"] as [Json, Json]
    const uncounted = { ...votes[1], userId: alice.userId, user: { userId: alice.userId } }
    t.strictSame(faultsOf(altered(evidence, { votes: [...votes, uncounted] })), [], "the unaltered twin")
    const places: [string, (text: string) => Json][] = [
      [
        "user id of a vote that did not count",
        (text) => added(votes, uncounted, { userId: text, user: { userId: text } }),
      ],
      ["user id of a vote that counted", (text) => ({ votes: [votes[0], { ...votes[1], userId: text }] })],
      ["public key of a vote", (text) => added(votes, uncounted, { publicKey: text })],
      ["scheme of a vote", (text) => added(votes, uncounted, { scheme: text })],
      ["selection", (text) => added(votes, uncounted, { selection: text })],
      ["id", (text) => ({ id: text })],
      ["organization", (text) => ({ organizationId: text })],
      ["status", (text) => ({ status: text })],
      ["address", (text) => ({ result: { createWalletResult: { walletId: "w", addresses: [text] } } })],
    ]
    for (const [index, [place, change]] of places.entries()) {
      for (const text of forgeriesFor(index)) {
        const shown = altered(evidence, change(text))
        t.not(faultsOf(shown).length, 0, place)
        const { status, out, log } = await verified(t, shown, toJson(PinsSchema, evidence.pins!))
        t.equal(status, 6, place)
        for (const line of `${out}\n${log}`.split("\n")) {
          t.notMatch(line, UNSAFE, place)
          t.notMatch(line, /^ {2}proven .*ATTACKER/, place)
        }
      }
    }
  },
)

t.test("P1: text in place of a proof's parts reaches no terminal raw", async (t) => {
  const { prove } = await setup(t)
  const evidence = await prove(WALLET, wallet())
  const pins = toJson(PinsSchema, evidence.pins!)
  t.match(await verified(t, evidence, pins), { status: 0 }, "the unaltered twin")
  const [first, second] = evidence.proofs as [Evidence["proofs"][0], Evidence["proofs"][0]]
  for (const text of FORGERIES) {
    const parts = [{ scheme: text }, { publicKey: text }, { proofPayload: JSON.stringify({ type: text }) }]
    for (const part of parts) {
      const { status, out } = await verified(
        t,
        { ...evidence, proofs: [{ ...first, ...part }, second] },
        pins,
      )
      t.equal(status, 6)
      for (const line of out.split("\n")) t.notMatch(line, UNSAFE)
    }
    const [boot] = evidence.bootProofs as [Json]
    const named = { ...boot, [`more ${text}`]: text }
    const { out } = await verified(t, { ...evidence, bootProofs: [named] }, pins)
    for (const line of out.split("\n")) t.notMatch(line, UNSAFE)
  }
})

t.test("a server's text reaches no terminal raw, and JSON keeps its value", async (t) => {
  const directory = t.testdir()
  await writeKey(join(directory, "keys"), "root", generateApiKey())
  await bindKey(join(directory, "keys"), "root", "00000000-0000-4000-8000-000000000000")
  const environment = { COUNTERSIGN_DATA_DIR: directory }
  for (const text of FORGERIES) {
    const details = [
      { reason: text, metadata: { requestId: text } },
      { policyEvaluations: [{ policyId: text, outcome: text }], message: text },
    ]
    const api = await fakeApi(t, {
      "/public/v1/query/whoami": { reply: { organizationName: text } },
      "/public/v1/query/get_user": { status: 400, reply: { message: text, details } },
    })
    for (const more of [[], ["--json"]]) {
      const { status, out } = await commandLine(environment, "whoami", "--api", api.url, ...more)
      t.equal(status, 0)
      for (const line of out.split("\n")) t.notMatch(line, UNSAFE)
      t.strictSame(JSON.parse(out), { organizationName: text })
    }
    const { status, log } = await commandLine(environment, "request", "get_user", "{}", "--api", api.url)
    t.equal(status, 3)
    t.equal(log.split("\n").length, 3, "no line more than those of the command")
    for (const line of log.split("\n")) t.notMatch(line, UNSAFE)
  }
})

t.test("every character that a terminal obeys or hides is written as an escape, and no other", async (t) => {
  t.equal(terminalText('plain "text" é ß 東京 {} \\ ~'), 'plain "text" é ß 東京 {} \\ ~')
  const isKept = (text: string) => JSON.parse(terminalText(JSON.stringify(text))) === text
  for (let first = 0; first <= 0x10ffff; first += BLOCK) {
    // Planes of few or no assigned characters.
    if (!isLong && first >= 0x2_0000 && first < 0xe_0000) continue
    const characters = Array.from({ length: BLOCK }, (_, index) => String.fromCodePoint(first + index))
    for (const character of characters)
      if (UNSAFE.test(character) && terminalText(character) === character)
        t.fail(`U+${character.codePointAt(0)?.toString(16)} is written as it is`)
    // A block is lost if one of its characters is.
    if (isKept(characters.join(""))) continue
    const lost = characters.filter((character) => !isKept(character))
    t.fail(
      `lost from U+${first.toString(16)}: ${lost.map((one) => one.codePointAt(0)?.toString(16)).join(" ")}`,
    )
  }
})

function added(votes: readonly Json[], vote: Json, parts: Json): Json {
  return { votes: [...votes, { ...vote, ...parts }] }
}

/** The command line's verdict on evidence in a file. */
async function verified(t: Test, evidence: Evidence, pins: unknown) {
  const { activity, bootProofs, proofs } = evidence
  const directory = t.testdir({ "pins.json": JSON.stringify(pins) })
  const file = join(directory, "evidence.json")
  writeFileSync(file, JSON.stringify({ activity: { ...activity, appProofs: proofs }, bootProofs }))
  return commandLine({ COUNTERSIGN_DATA_DIR: directory }, "verify", "proof", file)
}
