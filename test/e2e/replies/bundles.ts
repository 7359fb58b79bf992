// Imports, exports and the end of wallets.
import { ethereumAccount } from "../../harness/api-client.ts"
import { Reader, sealHex, sealText } from "../../harness/bundles.ts"
import type { Sequence } from "./sequence.ts"

const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
const RAW = "d123b4bdec43390b7cac14c615bd787671aa5535536f82e9e8e32557e05d8243"

export const bundles: Sequence = {
  title: "imports and exports have the documented shape:",
  run: async (t, { system, submit, refused, organizationId, rootUserId: userId }) => {
    const pins = await system.send("/public/v1/pins", {})
    const whose = { organizationId, userId, signerPublicKey: String(pins.json["signerPublicKey"]).slice(130) }
    const { targetPublicKey } = new Reader()
    const target = await submit("INIT_IMPORT_WALLET", { userId })
    const encryptedBundle = await sealText(WORDS, String(target["importBundle"]), whose)
    const wallet = { userId, walletName: "Shape", encryptedBundle, accounts: [ethereumAccount(0)] }
    const { walletId, addresses } = await submit("IMPORT_WALLET", wallet)
    await submit("EXPORT_WALLET", { walletId, targetPublicKey })
    await submit("EXPORT_WALLET_ACCOUNT", { address: (addresses as string[])[0], targetPublicKey })
    t.same(await submit("DELETE_WALLETS", { walletIds: [walletId] }), { walletIds: [walletId] })
    await refused("DELETE_WALLETS", { walletIds: [walletId] }, [404, 5])
    const keyTarget = await submit("INIT_IMPORT_PRIVATE_KEY", { userId })
    const sealed = await sealHex(RAW, String(keyTarget["importBundle"]), whose)
    const { privateKeyId } = await submit("IMPORT_PRIVATE_KEY", {
      userId,
      privateKeyName: "Shape",
      encryptedBundle: sealed,
      curve: "CURVE_SECP256K1",
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_COMPRESSED"],
    })
    await submit("EXPORT_PRIVATE_KEY", { privateKeyId, targetPublicKey })
  },
}
