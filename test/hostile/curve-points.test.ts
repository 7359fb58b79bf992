import { p256 } from "@noble/curves/nist.js"
import t from "tap"
import { Importer, Reader, sealText } from "../harness/bundles.ts"
import { allRefused, asRoot, refused, setup } from "./setup.ts"

const WORDS = `${"abandon ".repeat(11)}about`

/** `prefix || x || y` in hex digits. */
const written = (prefix: string, x: bigint, y: bigint) =>
  prefix + x.toString(16).padStart(64, "0") + y.toString(16).padStart(64, "0")

/** The first point whose x leaves room for the field's prime on top: there are two ways to write its x in 32 bytes. */
function pointOfSmallX(): { x: bigint; y: bigint } {
  for (let x = 1; ; x++) {
    const digits = `02${x.toString(16).padStart(64, "0")}`
    try {
      return p256.Point.fromHex(digits).toAffine()
    } catch {
      // Half of all x have no point.
    }
  }
}

const { p: PRIME } = p256.Point.CURVE()

/** Bytes that are no point of the curve, or a point not encoded as `04 || x || y` below the prime. */
function strangePoints(): string[] {
  const { x, y } = pointOfSmallX()
  const compressed = p256.Point.fromAffine({ x, y }).toHex(true)
  return [
    written("04", x + PRIME, y),
    written("04", x, y + 1n),
    written("04", y, x),
    written("04", 0n, 0n),
    written("04", PRIME, PRIME),
    written("00", 0n, 0n),
    written("05", x, y),
    written("06", x, y),
    written("07", x, y),
    written("06", x, PRIME - y),
    compressed,
    "00",
    "04",
    `${written("04", x, y)}00`,
    `00${written("04", x, y)}`,
  ]
}

t.test("B4: an encapsulated key that is no valid curve point opens nothing", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const importer = new Importer(fixture)
  const importBundle = await importer.walletTarget()
  const ours = { userId: importer.whose.userId, walletName: "Mine", accounts: [] }
  const encryptedBundle = await sealText(WORDS, importBundle, importer.whose)
  const good = JSON.parse(encryptedBundle) as { encappedPublic: string; ciphertext: string }
  const target = JSON.parse(Buffer.from(JSON.parse(importBundle).data, "hex").toString()).targetPublic
  const { x, y } = p256.Point.fromHex(good.encappedPublic).toAffine()
  const points = [
    ...strangePoints(),
    written("04", x, PRIME - y),
    written(y % 2n === 0n ? "06" : "07", x, y),
    p256.Point.BASE.toHex(false),
    target,
    "",
  ]
  const importing = (encappedPublic: string) =>
    attempt("IMPORT_WALLET", { ...ours, encryptedBundle: JSON.stringify({ ...good, encappedPublic }) })
  await allRefused(t, fixture, "BUNDLE_BROKEN", points, importing)
  const shorter = Array.from({ length: 40 }, (_, length) => good.ciphertext.slice(0, 2 * length))
  const cut = (ciphertext: string) =>
    attempt("IMPORT_WALLET", { ...ours, encryptedBundle: JSON.stringify({ ...good, ciphertext }) })
  await allRefused(t, fixture, "BUNDLE_BROKEN", [...shorter, `${good.ciphertext}00`], cut)
  const twice = encryptedBundle.replace("{", `{"ciphertext":"${good.ciphertext}",`)
  const read = (text: string) => attempt("IMPORT_WALLET", { ...ours, encryptedBundle: text })
  await allRefused(
    t,
    fixture,
    "BUNDLE_MALFORMED",
    [twice, `[${encryptedBundle}]`, `${encryptedBundle},`],
    read,
  )
  t.match(await read(encryptedBundle), { is: "outcome" })
})

t.test("B4: an empty plaintext is refused as a mnemonic and as a private key", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const importer = new Importer(fixture)
  const wallet = await importer.wallet("Mine", "")
  await refused(t, fixture, "MNEMONIC_LENGTH_INVALID", () => attempt("IMPORT_WALLET", wallet))
  for (const curve of ["SECP256K1", "P256", "ED25519"]) {
    const key = await importer.key("Mine", "00", curve)
    const nothing = {
      ...key,
      encryptedBundle: await sealText("", await importer.keyTarget(), importer.whose),
    }
    await refused(t, fixture, "PRIVATE_KEY_INVALID", () => attempt("IMPORT_PRIVATE_KEY", nothing), curve)
  }
})

t.test("B4: an export to a key that is no valid curve point is refused", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const { walletId, address } = fixture
  const points = strangePoints().filter(({ length }) => length === 130)
  const toWallet = (targetPublicKey: string) => attempt("EXPORT_WALLET", { walletId, targetPublicKey })
  const toAccount = (targetPublicKey: string) =>
    attempt("EXPORT_WALLET_ACCOUNT", { address, targetPublicKey })
  await allRefused(t, fixture, "TARGET_KEY_INVALID", points, toWallet)
  await allRefused(t, fixture, "TARGET_KEY_INVALID", points, toAccount)
  const others = strangePoints().filter(({ length }) => length !== 130)
  await allRefused(
    t,
    fixture,
    "REQUEST_INVALID",
    [...others, new Reader().targetPublicKey.replace("04", "0x")],
    toWallet,
  )
  const { x, y } = pointOfSmallX()
  t.match(await toWallet(written("04", x, y)), { is: "outcome" }, "the same point in its one spelling")
})
