// Published clients, unmodified but for the key of the deployment, bring keys in and out of the running system.
import { generateP256KeyPair, decryptExportBundle, encryptPrivateKeyToBundle } from "@turnkey/crypto"
import t from "tap"
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts"
import { ethereumAccount, signParams } from "../harness/api-client.ts"
import { Reader, sealText } from "../harness/bundles.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { sdkOf } from "./published.ts"

const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
const RAW = "d123b4bdec43390b7cac14c615bd787671aa5535536f82e9e8e32557e05d8243"
const SOLANA_KEY = "33mKQXM4gomPbTiCNBFsmuSbKjdRprW8uikv4p89iCXHtGrB5VDU7DvYrmpZny2s7pHmH22SccWaGiUoE2xVeoho"

t.test("published clients import and export keys", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId: userId } = await system.createOrganization()
  const sdk = sdkOf(system, organizationId, root)
  const pins = await system.send("/public/v1/pins", {})
  const signerPublicKey = String(pins.json["signerPublicKey"]).slice(130)
  const whose = { organizationId, userId, signerPublicKey }
  const account = ethereumAccount(0) as never

  t.test("a wallet's mnemonic is exported as imported", async (t) => {
    const { importBundle } = await sdk.initImportWallet({ userId })
    const encryptedBundle = await sealText(WORDS, importBundle, whose)
    const wallet = { userId, walletName: "Mine", encryptedBundle, accounts: [account] }
    const { walletId, addresses } = await sdk.importWallet(wallet)
    t.same(addresses, [mnemonicToAccount(WORDS).address])
    t.match((await sdk.getWallet({ walletId })).wallet, {
      imported: true,
      exported: false,
      walletName: "Mine",
    })
    await t.rejects(sdk.importWallet({ ...wallet, walletName: "Again" }), /was used: ask for another/)
    await t.rejects(sdk.deleteWallets({ walletIds: [walletId] }), /has not been exported/)

    const reader = new Reader()
    const { targetPublicKey } = reader
    const exported = await sdk.exportWallet({
      walletId,
      targetPublicKey,
      language: "MNEMONIC_LANGUAGE_ENGLISH",
    })
    t.equal(await reader.text(exported.exportBundle, whose), WORDS)
    const japanese = { walletId, targetPublicKey, language: "MNEMONIC_LANGUAGE_JAPANESE" } as const
    await t.rejects(sdk.exportWallet(japanese), /in English/)
    const one = await sdk.exportWalletAccount({ address: addresses[0]!, targetPublicKey })
    const key = await reader.hex(one.exportBundle, whose)
    t.equal(privateKeyToAccount(`0x${key}`).address, one.address)
    t.match((await sdk.getWallet({ walletId })).wallet, { exported: true })

    t.same((await sdk.deleteWallets({ walletIds: [walletId] })).walletIds, [walletId])
    t.same((await sdk.getWallets()).wallets, [])
    await t.rejects(sdk.getWalletAccounts({ walletId }), /unable to find wallet/)
    await t.rejects(sdk.signRawPayload(signParams(one.address) as never), /Could not find any resource/)
  })

  t.test("private keys are imported and exported in the text forms of their chains", async (t) => {
    const { privateKey: embeddedKey, publicKeyUncompressed: targetPublicKey } = generateP256KeyPair()
    const dangerouslyOverrideSignerPublicKey = signerPublicKey
    const ids = { organizationId, dangerouslyOverrideSignerPublicKey }
    for (const [keyFormat, privateKey, curve, format] of [
      ["HEXADECIMAL", RAW, "SECP256K1", "ETHEREUM"],
      ["SOLANA", SOLANA_KEY, "ED25519", "SOLANA"],
    ] as const) {
      const { importBundle } = await sdk.initImportPrivateKey({ userId })
      const sealed = await encryptPrivateKeyToBundle({ privateKey, keyFormat, importBundle, userId, ...ids })
      const { privateKeyId, addresses } = await sdk.importPrivateKey({
        userId,
        privateKeyName: keyFormat,
        encryptedBundle: sealed,
        curve: `CURVE_${curve}`,
        addressFormats: [`ADDRESS_FORMAT_${format}`],
      })
      t.match(addresses, [{ format: `ADDRESS_FORMAT_${format}` }])
      if (curve === "SECP256K1") t.equal(addresses[0]?.address, privateKeyToAccount(`0x${RAW}`).address)
      const { exportBundle } = await sdk.exportPrivateKey({ privateKeyId, targetPublicKey })
      const opening = { exportBundle, embeddedKey, keyFormat, returnMnemonic: false, ...ids }
      t.equal(await decryptExportBundle(opening), privateKey)
      const { privateKey: shown } = await sdk.getPrivateKey({ privateKeyId })
      t.match(shown, { imported: true, exported: true, privateKeyName: keyFormat })
      await sdk.deletePrivateKeys({ privateKeyIds: [privateKeyId] })
    }
  })
})
