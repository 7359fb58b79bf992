// A data directory of every released format starts, whatever this release writes itself.
import { createPrivateKey, createPublicKey } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import t, { type Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ApiClient, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { TestClock } from "../harness/clock.ts"
import { fingerprintOf, stampWith, type TestKey } from "../harness/stamper.ts"
import { refused } from "../hostile/setup.ts"
import type { GoldenState } from "./state.ts"

/** One for each released format, never changed once it is here. */
const FILES = ["state-1.json"]
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

for (const file of FILES) {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")) as GoldenState
  const { organizationId, subOrganization, address } = golden
  const keys = Object.fromEntries(Object.entries(golden.keys).map(([name, pem]) => [name, keyOf(pem)])) as {
    [name in keyof GoldenState["keys"]]: TestKey
  }

  t.test(`${file}: the signer signs with the stored wallets`, async (t) => {
    const { client } = await start(t, golden)
    for (const key of [keys.root, keys.dan, keys.session]) {
      const outcome = await client.submit(key, SIGN, organizationId, signParams(address))
      t.match(valueOf(outcome, "signRawPayloadResult"), golden.signature)
    }
    const { organizationId: id, address: theirs } = subOrganization
    const outcome = await client.submit(keys.eva, SIGN, id, signParams(theirs))
    t.ok(valueOf(outcome, "signRawPayloadResult").r)
  })

  t.test(`${file}: the signer refuses what it refused before`, async (t) => {
    const fixture = await start(t, golden)
    const { client } = fixture
    const offer = (body: string, key: TestKey) => () => client.offer(body, stampWith(key, body))
    const body = client.body(SIGN, organizationId, signParams(address))
    await refused(t, fixture, "PERMISSION_DENIED", offer(body, keys.eva), "a user without permission")
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", offer(body, keys.gus), "a deleted user")
    const older = Buffer.from(golden.olderDocument, "hex")
    const rollBack = () => client.order(body, stampWith(keys.gus, body), { document: older })
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", rollBack, "an older document")
    await refused(t, fixture, "ACTIVITY_REPLAYED", offer(golden.acknowledgedBody, keys.root), "a replay")
  })

  t.test(`${file}: the signer recovers outcomes that were not acknowledged`, async (t) => {
    const { client } = await start(t, golden)
    const again = outcomeOf(await client.send(golden.unacknowledgedBody, keys.root))
    t.equal(valueOf(again, "createWalletResult").walletId, golden.unacknowledgedWalletId)
  })

  t.test(`${file}: a pending activity completes with its second approval`, async (t) => {
    const { client } = await start(t, golden)
    const fingerprint = `sha256:${fingerprintOf(golden.pendingBody)}`
    const done = await client.submit(keys.eva, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, {
      fingerprint,
    })
    t.equal(done.status, ActivityStatus.COMPLETED)
    t.ok(valueOf(done, "createWalletResult").walletId)
  })
}

/** A signer on a copy of the golden data directory, and the API tier with the golden documents and records. */
async function start(t: Test, golden: GoldenState) {
  const boundary = new InProcessBoundary(new TestClock(golden.nowMs))
  t.teardown(() => boundary.close())
  await boundary.signer.close()
  for (const [path, packed] of Object.entries(golden.dangerouslyRevealedFiles)) {
    const target = join(boundary.directory, "signer", path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, gunzipSync(Buffer.from(packed, "base64")), { mode: 0o600 })
  }
  await boundary.restart()
  const client = new ApiClient(boundary)
  for (const [id, hex] of Object.entries(golden.documents)) client.documents.set(id, Buffer.from(hex, "hex"))
  for (const [id, hex] of Object.entries(golden.records)) client.records.set(id, Buffer.from(hex, "hex"))
  return { boundary, client }
}

function keyOf(pem: string): TestKey {
  const privateKey = createPrivateKey(pem)
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const odd = (Buffer.from(y, "base64url").at(-1)! & 1) === 1
  return { privateKey, publicKeyHex: (odd ? "03" : "02") + Buffer.from(x, "base64url").toString("hex") }
}
