// A data directory of every released format starts, whatever this release writes itself.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, stampWith, type TestKey } from "../harness/stamper.ts"
import { refused } from "../hostile/setup.ts"
import { keyOf, restored } from "./restored.ts"
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
    const { client } = await restored(t, golden)
    for (const key of [keys.root, keys.dan, keys.session]) {
      const outcome = await client.submit(key, SIGN, organizationId, signParams(address))
      t.match(valueOf(outcome, "signRawPayloadResult"), golden.signature)
    }
    const { organizationId: id, address: theirs } = subOrganization
    const outcome = await client.submit(keys.eva, SIGN, id, signParams(theirs))
    t.ok(valueOf(outcome, "signRawPayloadResult").r)
  })

  t.test(`${file}: the signer refuses what it refused before`, async (t) => {
    const fixture = await restored(t, golden)
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
    const { client } = await restored(t, golden)
    const again = outcomeOf(await client.send(golden.unacknowledgedBody, keys.root))
    t.equal(valueOf(again, "createWalletResult").walletId, golden.unacknowledgedWalletId)
  })

  t.test(`${file}: a pending activity completes with its second approval`, async (t) => {
    const { client } = await restored(t, golden)
    const fingerprint = `sha256:${fingerprintOf(golden.pendingBody)}`
    const done = await client.submit(keys.eva, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, {
      fingerprint,
    })
    t.equal(done.status, ActivityStatus.COMPLETED)
    t.ok(valueOf(done, "createWalletResult").walletId)
  })
}
