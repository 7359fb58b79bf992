// The API tier relays bundles between signer and client. A published client that pins the signer's key refuses forgeries.
import t from "tap"
import { readTargetKey, sealMessage } from "../../signer/enclave/bundles/message.ts"
import { bundleWriter } from "../../signer/enclave/bundles/signed-bundle.ts"
import { openKeySet } from "../../signer/core/crypto/keyset.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { ethereumAccount, valueOf } from "../harness/api-client.ts"
import { Importer, Reader, sealHex, sealText, signerPublicKeyOf } from "../harness/bundles.ts"
import { asRoot, type Fixture, setup } from "./setup.ts"

const WORDS = `${"abandon ".repeat(11)}about`

type Signed = { data: string; dataSignature: string; enclaveQuorumPublic: string }
const partsOf = (bundle: string) => JSON.parse(bundle) as Signed

/** A bundle with other data under the original signature. */
function withData(bundle: string, change: object): string {
  const parts = partsOf(bundle)
  const data = { ...JSON.parse(Buffer.from(parts.data, "hex").toString()), ...change }
  return JSON.stringify({ ...parts, data: Buffer.from(JSON.stringify(data)).toString("hex") })
}

/** Signed content of a bundle. */
const saidBy = (bundle: string) => JSON.parse(Buffer.from(partsOf(bundle).data, "hex").toString())

/** A bundle signed with the API tier's own key. */
const mallory = bundleWriter(openKeySet(Secret.copyOf(Buffer.alloc(32, 7))))

t.test("B4: a client that pins the signer's key never encrypts to a key of the API tier", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const importer = new Importer(fixture)
  const { whose } = importer
  const good = await importer.walletTarget()
  const other = await new Importer({
    ...fixture,
    acme: await client.createOrganization("Other"),
  }).walletTarget()
  const colleague = await new Importer(fixture, await client.user(acme, "mallory"))
    .walletTarget()
    .catch(() => undefined)
  t.equal(colleague, undefined, "who may not import gets no key")
  const own = Buffer.from(new Reader().targetPublicKey, "hex")
  const forged = mallory.importTarget({ targetPublic: own, ...whose })
  const { walletId } = fixture
  const { targetPublicKey } = new Reader()
  const exported = await asRoot(fixture).submit("EXPORT_WALLET", { walletId, targetPublicKey })
  const { exportBundle } = valueOf(exported, "exportWalletResult")
  const forgeries = [
    forged,
    JSON.stringify({ ...partsOf(forged), enclaveQuorumPublic: whose.signerPublicKey }),
    JSON.stringify({ ...partsOf(good), data: partsOf(forged).data }),
    withData(good, { targetPublic: own.toString("hex") }),
    other,
    withData(other, { organizationId: whose.organizationId, userId: whose.userId }),
    exportBundle,
    withData(exportBundle, { targetPublic: own.toString("hex"), userId: whose.userId }),
  ]
  for (const [index, bundle] of forgeries.entries()) {
    await t.rejects(sealText(WORDS, bundle, whose), `words, ${index}`)
    await t.rejects(sealHex("5c".repeat(32), bundle, whose), `a key, ${index}`)
  }
  await t.resolves(sealText(WORDS, good, whose))
})

t.test(
  "B4: a client opens only bundles that the signer exported to its key for its organization",
  async (t) => {
    const fixture = await setup(t)
    const there: Fixture = { ...fixture, acme: await fixture.client.createOrganization("Other") }
    const { organizationId } = fixture.acme
    const whose = { organizationId, signerPublicKey: signerPublicKeyOf(fixture.boundary) }
    const [first, second] = [new Reader(), new Reader()]
    const exportedFrom = async (where: Fixture, { targetPublicKey }: Reader) => {
      const made = await asRoot(where).submit("CREATE_WALLET", {
        walletName: targetPublicKey.slice(0, 20),
        accounts: [ethereumAccount(0)],
      })
      const { walletId } = valueOf(made, "createWalletResult")
      const outcome = await asRoot(where).submit("EXPORT_WALLET", { walletId, targetPublicKey })
      return valueOf(outcome, "exportWalletResult").exportBundle
    }
    const [own, another] = [await exportedFrom(fixture, first), await exportedFrom(fixture, second)]
    const foreign = await exportedFrom(there, first)
    const recipient = readTargetKey(first.targetPublicKey, "targetPublicKey")
    const random = (length: number) => new Uint8Array(length).fill(9)
    const made = sealMessage(recipient, Secret.copyOf(Buffer.from(WORDS)), random)
    const origin = {
      organizationId,
      userId: fixture.acme.rootUserId,
      secret: { walletId: fixture.walletId },
      nowMs: 1,
    }
    const forged = mallory.exported(made, origin)
    for (const [bundle, what] of [
      [another, "that of another request, to another key"],
      [foreign, "sealed to this key by a user of another organization"],
      [withData(foreign, { organizationId }), "the same, renamed"],
      [forged, "sealed to this key by the API tier"],
      [
        JSON.stringify({ ...partsOf(own), data: partsOf(forged).data }),
        "the same, under the signer's signature",
      ],
      [
        JSON.stringify({ ...partsOf(forged), enclaveQuorumPublic: whose.signerPublicKey }),
        "under the signer's name",
      ],
    ] as const) {
      await t.rejects(first.text(bundle, whose), what)
    }
    t.match(await first.text(own, whose), /^([a-z]+ ){11}[a-z]+$/)
  },
)

t.test("B4: an export bundle names its organization, user, secret and time", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId, address, boundary } = fixture
  const { organizationId, root, rootUserId } = acme
  const mallory = await client.user(acme, "mallory")
  const quorum = { threshold: 1, userIds: [rootUserId, mallory.userId] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const key = { privateKeyName: "one", curve: "CURVE_P256", privateKeyTags: [], addressFormats: [] }
  const made = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys: [key] })
  const { privateKeyId } = valueOf(made, "createPrivateKeysResultV2").privateKeys[0]!
  const reader = new Reader()
  const { targetPublicKey } = reader
  const whose = { organizationId, signerPublicKey: signerPublicKeyOf(boundary) }
  const exported = async (by: typeof root, type: string, request: object) => {
    const activity = `ACTIVITY_TYPE_EXPORT_${type}`
    const outcome = await client.submit(by, activity, organizationId, { ...request, targetPublicKey })
    const { exportBundle } = outcome.result!.result.value as { exportBundle: string }
    await reader.text(exportBundle, whose)
    const { encappedPublic, ciphertext, ...said } = saidBy(exportBundle)
    t.ok(encappedPublic && ciphertext)
    return said
  }
  const now = () => String(boundary.clock.wallMs())
  const own = await exported(root, "WALLET", { walletId: walletId.toUpperCase() })
  t.same(own, { organizationId, userId: rootUserId, walletId, timestampMs: now() })
  const ofAccount = await exported(root, "WALLET_ACCOUNT", { address: address.toLowerCase() })
  t.same(ofAccount, { organizationId, userId: rootUserId, address, timestampMs: now() })
  const ofKey = await exported(root, "PRIVATE_KEY", { privateKeyId })
  t.same(ofKey, { organizationId, userId: rootUserId, privateKeyId, timestampMs: now() })
  const hers = await exported(mallory.key, "PRIVATE_KEY", { privateKeyId })
  t.match(hers, { userId: mallory.userId }, "an export to another user's target key names the exporter")
})
