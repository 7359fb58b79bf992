// B3: every outcome fits one message, so that no tenant blocks the outcomes of others.
import { randomBytes } from "node:crypto"
import t from "tap"
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { ReadArchiveResponseSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { MAX_MESSAGE_BYTES } from "../../signer/core/wire.ts"
import { readArchive } from "../../signer/enclave/rpc/reads.ts"
import { apiKey, userParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { CborPairs, writeCbor } from "../harness/cbor-writer.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { asRoot, refused, setup } from "./setup.ts"

const MAX_BODY_BYTES = 2 * 1024 * 1024

/** As long as a name may be, in three bytes a character. */
const longName = (index: number) => String(index).padEnd(256, "界")

/** Formats of the longest addresses. */
const FORMATS = ["UNCOMPRESSED", "COMPRESSED", "BITCOIN_TESTNET_P2WSH", "BITCOIN_TESTNET_P2TR"].map(
  (name) => `ADDRESS_FORMAT_${name}`,
)

/** The keys of one request have 4,000 addresses at most. */
const MOST_KEYS = Math.floor(4000 / FORMATS.length)

/** User of the largest permitted size. */
function largePasskey(_: unknown, index: number) {
  const modulus = randomBytes(512)
  modulus[0]! |= 0x80
  modulus[511]! |= 1
  const key = new CborPairs([1, 3], [3, -257], [-1, modulus], [-2, Buffer.of(1, 0, 1)])
  return new Passkey({ idBytes: 1023 }).create(longName(index), { publicKey: writeCbor(key) })
}

/** As much as a user can hold without an identity at an issuer. */
function largeUser(index: number) {
  const keys = Array.from({ length: 10 }, (_, nth) => apiKey(newKey(), longName(nth)))
  const authenticators = Array.from({ length: 10 }, largePasskey)
  return { ...userParams(longName(index)), apiKeys: keys, authenticators }
}

/** Asks for a proof of every address, which makes the answer longer than all else that can be asked for. */
const withProofs = (body: string) => body.replace(/^\{/, '{"generateAppProofs":true,')

t.test("B3: an activity whose outcome exceeds one message is refused before it runs", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root } = acme
  const { submit } = asRoot(fixture)
  const alice = await client.user(acme, "alice")
  // As many as a document of 2 MiB holds beside the ids of the keys.
  for (let body = 0; body < 2; body++) {
    const users = Array.from({ length: 29 }, (_, nth) => largeUser(29 * body + nth))
    await submit("CREATE_USERS_V4", { users })
  }
  const tag = await submit("CREATE_PRIVATE_KEY_TAG", { privateKeyTagName: "all", privateKeyIds: [] })
  const { privateKeyTagId } = valueOf(tag, "createPrivateKeyTagResult")
  const keys = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      privateKeyName: longName(index),
      curve: "CURVE_SECP256K1",
      privateKeyTags: [privateKeyTagId],
      addressFormats: FORMATS,
    }))
  const request = (count: number, padding: string) => {
    const parameters = { privateKeys: keys(count), padding }
    return withProofs(client.body("ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2", organizationId, parameters))
  }
  const padding = "x".repeat(MAX_BODY_BYTES - Buffer.byteLength(request(MOST_KEYS, "")))
  const body = request(MOST_KEYS, padding)
  await refused(t, fixture, "OUTCOME_TOO_LARGE", () => client.offer(body, stampWith(root, body)))
  const few = keys(10).map((key, index) => ({ ...key, privateKeyName: `key ${index}` }))
  t.ok(await submit("CREATE_PRIVATE_KEYS_V2", { privateKeys: few }), "fewer at once are well")

  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [acme.rootUserId, alice.userId] })
  t.match(await client.send(body, root), { outcome: { status: ActivityStatus.CONSENSUS_NEEDED } })
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const vote = withProofs(client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint }))
  const code = RefusalCode.OUTCOME_TOO_LARGE
  const failed = { status: ActivityStatus.FAILED, failure: { code }, records: [], document: { length: 0 } }
  t.match(await client.send(vote, alice.key), { outcome: failed }, "one that waited for votes ends")
  t.same(boundary.signer.state().ledger.rows(organizationId, "pending"), [])
})

t.test("B3: an archive of large records comes in pages of at most one message", async (t) => {
  const { boundary, client, acme } = await setup(t)
  const { organizationId, root } = acme
  const text = `[${" ".repeat(399_990)}]`
  for (let index = 0; index < 24; index++) {
    await client.submit(root, "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE", organizationId, {
      smartContractAddress: `0x${index.toString(16).padStart(40, "0")}`,
      smartContractInterface: text,
      type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
      label: "large",
    })
  }
  const found = new Set<string>()
  let afterRecordId = ""
  for (let more = true; more; ) {
    const page = await readArchive(
      { organizationId, afterRecordId, activityFingerprints: [] } as never,
      boundary.signer,
    )
    t.ok(
      toBinary(ReadArchiveResponseSchema, create(ReadArchiveResponseSchema, page)).length < MAX_MESSAGE_BYTES,
    )
    const ids = page.records.map((bytes) => fromBinary(RecordSchema, bytes).id)
    for (const id of ids) found.add(id)
    more = page.more
    afterRecordId = ids.at(-1)!
  }
  t.same(found, new Set(client.records.keys()), "each record is in one of them")
})
