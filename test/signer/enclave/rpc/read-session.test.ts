import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { archiveKey } from "../../../../signer/enclave/execution/state/archived-records.ts"
import { readArchive, readSession } from "../../../../signer/enclave/rpc/reads.ts"
import { ApiClient, signParams } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { newKey, stampWith } from "../../../harness/stamper.ts"

async function started(t: { teardown(clean: () => Promise<void>): unknown }) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const acme = await client.createOrganization()
  const ask = (sessionPublicKey: string, organizationId = acme.organizationId) =>
    readSession({ organizationId, sessionPublicKey } as never, boundary.signer)
  return { boundary, client, acme, ask }
}

t.test("returns only the record of the session with the given key", async (t) => {
  const { boundary, client, acme, ask } = await started(t)
  const other = await client.createOrganization("Other")
  const { key, record } = await client.login(acme, acme.root)
  await client.login(acme, acme.root)
  t.same(await ask(key.publicKeyHex), { record })
  for (const [what, publicKey, organizationId] of [
    ["an unknown key", newKey().publicKeyHex, acme.organizationId],
    ["an API key", acme.root.publicKeyHex, acme.organizationId],
    ["another organization", key.publicKeyHex, other.organizationId],
  ] as const)
    t.same(await ask(publicKey, organizationId), {}, what)
  const whole = await readArchive(
    { organizationId: acme.organizationId, afterRecordId: "", activityFingerprints: [] } as never,
    boundary.signer,
  )
  t.equal(whole.records.length, 2, "the whole archive has sessions too")
  await client.login(acme, acme.root, { invalidateExisting: true })
  t.same(await ask(key.publicKeyHex), {}, "an ended one")
})

t.test("refuses malformed session keys, and does not repeat them", async (t) => {
  const { acme, ask } = await started(t)
  for (const strange of ["acme", "\0", "02".repeat(32), `04${"11".repeat(32)}`, `02${"AA".repeat(32)}`]) {
    const message = "sessionPublicKey must be a compressed P-256 key in hex"
    await t.rejects(ask(strange), { code: "REQUEST_INVALID", field: "sessionPublicKey", message })
  }
  await t.rejects(ask(acme.root.publicKeyHex, "00000000-0000-4000-8000-000000000000"), {
    code: "ORGANIZATION_UNKNOWN",
  })
})

t.test("a session without record has ended, and its key can be used again", async (t) => {
  const { boundary, client, acme, ask } = await started(t)
  const { organizationId, root } = acme
  const { address } = await client.wallet(acme)
  const { key, record } = await client.login(acme, root)
  await boundary.restart()
  const { ledger } = boundary.signer.state()
  const head = ledger.head(organizationId)!
  const { kind, id } = fromBinary(RecordSchema, record)
  const remove = [{ kind: "archive-record", key: archiveKey(kind, id) } as const]
  await ledger.commit([{ organizationId, expect: head, head, put: [], remove }])
  t.same(await ask(key.publicKeyHex), {})
  const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address))
  t.match(await client.offer(body, stampWith(key, body)), { is: "refused", code: "CREDENTIAL_UNKNOWN" })
  await client.login(acme, root, { invalidateExisting: true }, key)
  t.match(await client.offer(body, stampWith(key, body)), { is: "outcome" })
})
