import { toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecoverResponseSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { apiKey, outcomeOf, valueOf } from "../harness/api-client.ts"
import { Reader, signerPublicKeyOf } from "../harness/bundles.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { refused, setup } from "./setup.ts"

const HOUR_MS = 60 * 60 * 1000

t.test(
  "A6: an export is replayed only to the credential that requested it, while its user holds that credential",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, walletId, boundary } = fixture
    const { organizationId, root, rootUserId } = acme
    const alice = await client.user(acme, "alice")
    const quorum = { threshold: 1, userIds: [rootUserId, alice.userId] }
    await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
    const leaving = newKey()
    const keys = { userId: rootUserId, apiKeys: [apiKey(leaving, "leaving")] }
    const made = await client.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, keys)
    const { apiKeyIds } = valueOf(made, "createApiKeysResult")
    const reader = new Reader()
    const request = { walletId, targetPublicKey: reader.targetPublicKey }
    const body = client.body("ACTIVITY_TYPE_EXPORT_WALLET", organizationId, request)
    const replay = (key: typeof root) => client.offer(body, stampWith(key, body))
    const first = valueOf(outcomeOf(await client.send(body, leaving)), "exportWalletResult")
    await boundary.restart()
    t.same(valueOf(outcomeOf(await replay(leaving)), "exportWalletResult"), first)
    await refused(t, fixture, "ACTIVITY_REPLAYED", () => replay(alice.key), "another user")
    await refused(t, fixture, "ACTIVITY_REPLAYED", () => replay(root), "another key of the same user")

    const recovered = Buffer.from(toBinary(RecoverResponseSchema, await boundary.recover(organizationId)))
    t.ok(recovered.includes(first.exportBundle), "the API tier has the bundle")
    const whose = { organizationId, signerPublicKey: signerPublicKeyOf(boundary) }
    t.notOk(recovered.includes(await reader.text(first.exportBundle, whose)), "and not its content")

    const remove = { userId: rootUserId, apiKeyIds }
    await client.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, remove)
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => replay(leaving), "a deleted key")
    await client.acknowledge(organizationId, fingerprintOf(body), leaving.publicKeyHex)
    await refused(t, fixture, "ACTIVITY_REPLAYED", () => replay(root), "once it was acknowledged")
    boundary.clock.pass(HOUR_MS)
    await refused(t, fixture, "REQUEST_STALE", () => replay(root), "when its hour is over")
  },
)
