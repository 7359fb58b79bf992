import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { toJson } from "@bufbuild/protobuf"
import t from "tap"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { ApiClient, ethereumAccount } from "../../harness/api-client.ts"
import { InProcessBoundary } from "../../harness/boundary.ts"
import { asking, bootProofOf, pinsOf, sent, shownActivity } from "../../harness/proofs.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const boundary = new InProcessBoundary()
t.teardown(() => boundary.close())
const client = new ApiClient(boundary)
const { organizationId, root } = await client.createOrganization()
const wallet = { walletName: "First", accounts: [ethereumAccount(0)] }
const body = asking(client, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, wallet)
const activity = shownActivity(await sent(client, body, root))
const appProofs = activity["appProofs"] as { proofPayload: string }[]
const bootProof = await bootProofOf(boundary.signer)

/** A profile with these files beside its pins. */
function profile(
  t: { testdir: () => string },
  files: { [name: string]: unknown },
  pins: unknown = ourPins(),
) {
  const directory = t.testdir()
  if (pins !== undefined) write("pins.json", pins)
  for (const [name, content] of Object.entries(files)) write(name, content)
  return {
    directory,
    verify: (...words: string[]) =>
      commandLine({ COUNTERSIGN_DATA_DIR: directory }, "verify", "proof", ...words.map(inDirectory)),
  }

  function write(name: string, content: unknown): void {
    writeFileSync(join(directory, name), typeof content === "string" ? content : JSON.stringify(content))
  }

  function inDirectory(word: string): string {
    return word.endsWith(".json") ? join(directory, word) : word
  }
}

function ourPins(): unknown {
  return toJson(PinsSchema, pinsOf(boundary.signer))
}

t.test("verify-proof lists what an activity's proofs prove and what they do not", async (t) => {
  const { verify } = profile(t, { "activity.json": { activity }, "boot.json": { bootProof } })
  const { status, out, log } = await verify("activity.json", "--boot-proof", "boot.json")
  t.equal(status, 0, log)
  t.match(
    out,
    /proof 1 {2}APP_PROOF_TYPE_ADDRESS_DERIVATION\n {2}proven {6}the signer held the key of address 0x/,
  )
  t.match(out, /proof 2 {2}APP_PROOF_TYPE_POLICY_OUTCOME\n {2}proven {6}the signer decided OUTCOME_ALLOW/)
  t.match(out, /not proven {2}that this code really ran/)
  t.notMatch(out, /FAILED/)
})

t.test("verify-proof accepts an activity, a list of proofs or a single one, with a boot proof", async (t) => {
  const { verify } = profile(t, {
    "activity.json": { ...activity, bootProof },
    "list.json": { appProofs, bootProofs: [bootProof] },
    "one.json": { ...appProofs[0], bootProof },
    "boot.json": bootProof,
    "bare.json": { appProofs },
  })
  for (const file of ["activity.json", "list.json", "one.json"]) t.equal((await verify(file)).status, 0, file)
  t.equal((await verify("bare.json", "--boot-proof", "boot.json")).status, 0)
})

t.test("verify-proof compares an incomplete activity too, and refuses ambiguous JSON", async (t) => {
  const { fingerprint, ...nameless } = activity
  t.ok(fingerprint)
  const text = JSON.stringify({ activity, bootProof })
  const intent = JSON.stringify({ createWalletIntent: { ...wallet, walletName: "Else" } })
  const { verify } = profile(t, {
    "nameless.json": { ...nameless, bootProof },
    "list.json": { activity: [activity], appProofs, bootProof },
    "twice.json": text.replace('"intent":', `"intent":${intent},"intent":`),
  })
  t.match(await verify("nameless.json"), { status: 6, out: /what was asked for is not shown/ })
  t.match(await verify("list.json"), { status: 2, log: /activity is not a JSON object/ })
  t.match(await verify("twice.json"), { status: 2, log: /is not JSON/ })
})

t.test("verify-proof fetches a missing boot proof from the API", async (t) => {
  const { directory, verify } = profile(t, { "activity.json": { activity } })
  await writeKey(join(directory, "keys"), "root", generateApiKey())
  await bindKey(join(directory, "keys"), "root", organizationId)
  const api = await fakeApi(t, { "/public/v1/query/get_boot_proof": { reply: { bootProof } } })
  t.match(await verify("activity.json", "--api", api.url), { status: 0, out: /proven/ })
  t.strictSame(JSON.parse(api.seen[0]?.body ?? ""), {
    organizationId,
    ephemeralKey: bootProof["ephemeralPublicKeyHex"],
  })
  const silent = await fakeApi(t, {})
  const missing = await verify("activity.json", "--api", silent.url)
  t.match(missing, { status: 6, out: /FAILED {6}there is no boot proof/, log: /--boot-proof FILE/ })
})

t.test("verify-proof ends with status 6 if a check fails, and names it", async (t) => {
  const lie = { ...activity, id: organizationId }
  const { verify } = profile(t, {
    "lie.json": { activity: lie, bootProof },
    "activity.json": { activity, bootProof },
    "pins.json": ourPins(),
  })
  const { status, out, log } = await verify("lie.json")
  t.equal(status, 6)
  t.match(out, /FAILED {6}the decision was about another id/)
  t.match(log, /verification failed/)
  t.match(await verify("activity.json", "--code-digest", "AB".repeat(32)), {
    status: 6,
    out: /you expect abab/,
  })
  const json = await verify("lie.json", "--json")
  t.equal(json.status, 6)
  t.match(JSON.parse(json.out), {
    verified: false,
    proofs: [{ findings: [{ verdict: "proven" }] }, {}],
    together: [],
  })
})

t.test("verify-proof refuses proofs without pins, and with those of another deployment", async (t) => {
  const files = { "activity.json": { activity, bootProof } }
  t.match(await profile(t, files, null).verify("activity.json"), {
    status: 2,
    log: /holds no pins/,
  })
  const foreign = new InProcessBoundary()
  t.teardown(() => foreign.close())
  const { verify, directory } = profile(t, files, toJson(PinsSchema, pinsOf(foreign.signer)))
  t.match(await verify("activity.json"), { status: 6, out: /not signed by the notarizer of your pins/ })
  const nowhere = join(directory, "nowhere.json")
  const none = await verify("activity.json", "--pins", "nowhere.json")
  t.match(none, { status: 2, out: "" })
  t.ok(none.log.includes(nowhere))
})

t.test(
  "verify-proof takes several pins, and former ones of the profile for proofs of their time",
  async (t) => {
    const newer = { ...(ourPins() as object), fetcherPublicKey: pinsOf(boundary.signer).notarizerPublicKey }
    const dated = (validUntil: string) => ({ ...(ourPins() as object), validUntil })
    const files = {
      "activity.json": { activity, bootProof },
      "newer.json": newer,
      "older.json": ourPins(),
      "dated.json": dated("2999-01-01T00:00:00Z"),
      "ended.json": dated("2001-01-01T00:00:00Z"),
      "odd.json": dated("soon"),
    }
    const { verify } = profile(t, files, newer)
    t.match(await verify("activity.json"), { status: 6, out: /made under other pins than yours/ })
    const both = ["--pins", "newer.json", "--pins", "older.json"]
    t.match(await verify("activity.json", ...both), { status: 0, out: /as in your former pins/ })
    t.match(await verify("activity.json", "--pins", "dated.json"), { status: 0 })
    t.match(await verify("activity.json", "--pins", "ended.json"), { status: 6, out: /former pins .* ended/ })
    t.match(await verify("activity.json", "--pins", "odd.json"), { status: 2, log: /holds no pins/ })
    const kept = profile(t, { ...files, "former-pins.json": [dated("2999-01-01T00:00:00Z")] }, newer)
    t.match(await kept.verify("activity.json"), { status: 0, out: /as in your former pins/ })
  },
)

t.test("a file without proofs is a usage fault", async (t) => {
  const { verify } = profile(t, { "text.json": "nothing", "list.json": [], "odd.json": { appProofs: [{}] } })
  for (const file of ["text.json", "list.json", "odd.json", "absent.json"]) {
    t.equal((await verify(file)).status, 2, file)
  }
  t.match(await profile(t, { "empty.json": { activity: { fingerprint: "x" } } }).verify("empty.json"), {
    status: 6,
    out: /there are no app proofs: ask for them/,
  })
})
