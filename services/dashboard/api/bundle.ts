// Exports and imports of wallets: sealed between this browser and the signer. The API tier only carries them.
import { isSignedBySigner } from "./signed-bundle.ts"
import { bytesOf, hex } from "./encoding.ts"
import { type BundleKey, openBundle, sealTo } from "./hpke.ts"
import { requireLogin } from "./login.ts"
import { trust } from "./trust.ts"

type Signed = { data: string; dataSignature: string; enclaveQuorumPublic: string }
type Sealed = { encappedPublic: string; ciphertext: string; organizationId: string; walletId?: string }

type Target = { targetPublic: string; organizationId: string; userId: string }
type Content = Sealed | Target

const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"))

/** The mnemonic of an export. @throws {Error} if the signer of this browser's pins did not seal it for this wallet */
export async function openExport(bundle: string, walletId: string, key: BundleKey): Promise<string> {
  const sealed = readSigned(bundle) as Sealed
  if (sealed.organizationId !== requireLogin().organizationId || sealed.walletId !== walletId)
    throw new Error("the bundle is of another wallet: it is not opened")
  const plaintext = await openBundle(key, fromHex(sealed.encappedPublic), fromHex(sealed.ciphertext))
  return new TextDecoder().decode(plaintext)
}

/** A mnemonic sealed to the signer. @throws {Error} if the target is not of the signer of this browser's pins */
export async function sealImport(importBundle: string, mnemonic: string): Promise<string> {
  const { organizationId, userId } = requireLogin()
  const target = readSigned(importBundle) as Target
  if (target.organizationId !== organizationId || target.userId !== userId)
    throw new Error("the import key is of another user: nothing was sealed")
  const { enc, ciphertext } = await sealTo(fromHex(target.targetPublic), bytesOf(mnemonic))
  return JSON.stringify({ encappedPublic: hex(enc), ciphertext: hex(ciphertext) })
}

function readSigned(text: string): Content {
  const pins = trust.value?.pins
  if (pins === undefined)
    throw new Error("this browser trusts no pins yet: compare them on the page System first")
  const { data, dataSignature } = JSON.parse(text) as Signed
  if (!isSignedBySigner(data, dataSignature, pins["signerPublicKey"] ?? ""))
    throw new Error("the bundle is not signed by the signer of this browser’s pins: it is not used")
  return JSON.parse(Buffer.from(data, "hex").toString()) as Content
}
