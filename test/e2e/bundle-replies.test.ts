// Imports, exports and the end of wallets, asked for over HTTP, against the tables that were written by hand.
import t from "tap"
import { requireError, requireResult } from "../contract/replies.ts"
import { ethereumAccount } from "../harness/api-client.ts"
import { Reader, sealHex, sealText } from "../harness/bundles.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
const RAW = "d123b4bdec43390b7cac14c615bd787671aa5535536f82e9e8e32557e05d8243"

t.test("imports and exports have the documented shape:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId: userId } = await system.createOrganization()
  const pins = await system.send("/public/v1/pins", {})
  const whose = { organizationId, userId, signerPublicKey: String(pins.json["signerPublicKey"]).slice(130) }
  const submit = async (path: string, parameters: object): Promise<Json> => {
    const type = path.toUpperCase()
    const { json, status } = await system.post(
      `submit/${path}`,
      system.body(type, organizationId, parameters),
      root,
    )
    t.equal(status, 200, path)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const { targetPublicKey } = new Reader()
  const target = await submit("init_import_wallet", { userId })
  const encryptedBundle = await sealText(WORDS, String(target["importBundle"]), whose)
  const wallet = { userId, walletName: "Shape", encryptedBundle, accounts: [ethereumAccount(0)] }
  const { walletId, addresses } = await submit("import_wallet", wallet)
  await submit("export_wallet", { walletId, targetPublicKey })
  await submit("export_wallet_account", { address: (addresses as string[])[0], targetPublicKey })
  t.same(await submit("delete_wallets", { walletIds: [walletId] }), { walletIds: [walletId] })
  const again = await system.post(
    "submit/delete_wallets",
    system.body("DELETE_WALLETS", organizationId, { walletIds: [walletId] }),
    root,
  )
  t.equal(again.status, 404)
  requireError(again.json, 5)
  const keyTarget = await submit("init_import_private_key", { userId })
  const sealed = await sealHex(RAW, String(keyTarget["importBundle"]), whose)
  const { privateKeyId } = await submit("import_private_key", {
    userId,
    privateKeyName: "Shape",
    encryptedBundle: sealed,
    curve: "CURVE_SECP256K1",
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_COMPRESSED"],
  })
  await submit("export_private_key", { privateKeyId, targetPublicKey })
})
