// A seed under its slots: which secrets open it, and which bytes do not.
import { createDecipheriv, createHmac, hkdfSync } from "node:crypto"
import t, { type Test } from "tap"
import {
  type SealedSeedHeader,
  SeedOwner,
} from "../../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { readSealedSeed, writeSealedSeed } from "../../../../signer/core/sealed-seed/format.ts"
import { openByKey, openByPassphrase, openByShares } from "../../../../signer/core/sealed-seed/open.ts"
import { readPassphrase } from "../../../../signer/core/sealed-seed/passphrase.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { bytesOf, DEPLOYMENT, newSet, random, subsets, TERMS } from "./sets.ts"
import { isLong } from "../../../harness/long.ts"

const pointsOf = (shares: readonly Uint8Array[]) => shares.map((bytes) => readShare(bytes).point)

async function isRefused(t: Test, run: () => unknown, code: string, message = ""): Promise<void> {
  await t.rejects(async () => run(), { code }, `${code} ${message}`)
}

t.test("each 3 of 5 shares open the seed, and no 2 of them do", async (t) => {
  const { seed, sealed, shares } = await newSet()
  const threes = subsets(shares, 3)
  t.equal(threes.length, 10)
  for (const three of threes) t.strictSame(bytesOf(await openByShares(sealed, pointsOf(three))), seed)
  t.strictSame(bytesOf(await openByShares(sealed, pointsOf(shares))), seed, "and all five")
  const twos = subsets(shares, 2)
  t.equal(twos.length, 10)
  for (const two of twos) await isRefused(t, () => openByShares(sealed, pointsOf(two)), "SHARES_WRONG")
})

t.test("every possible number of shares and threshold opens, and impossible ones are refused", async (t) => {
  for (const [shares, threshold] of [
    [2, 2],
    [15, 15],
    [15, 2],
    [7, 4],
  ] as const) {
    const set = await newSet({ shares, threshold })
    t.equal(set.shares.length, shares)
    const last = set.shares.slice(-threshold)
    t.strictSame(bytesOf(await openByShares(set.sealed, pointsOf(last))), set.seed)
  }
  for (const [shares, threshold] of [
    [1, 1],
    [5, 1],
    [5, 6],
    [16, 3],
    [2.5, 2],
    [0, 0],
  ] as const)
    await isRefused(t, () => newSet({ shares, threshold }), "SHARES_IMPOSSIBLE")
})

t.test("shares open only the set that they were made for", async (t) => {
  const { sealed, shares } = await newSet()
  const otherTerms = [
    { generation: 2 },
    { threshold: 2 },
    { shares: 4 },
    { setId: random(2) },
    { owner: SeedOwner.FETCHER },
  ]
  for (const terms of otherTerms) {
    const other = { ...sealed, header: { ...sealed.header, ...terms } as SealedSeedHeader }
    const points = pointsOf(shares.slice(0, 3))
    await isRefused(t, () => openByShares(other, points), "SHARES_WRONG", JSON.stringify(Object.keys(terms)))
  }
  const moved = { ...sealed, header: { ...sealed.header, deploymentId: DEPLOYMENT.replace("09", "0a") } }
  await isRefused(t, () => openByShares(moved, pointsOf(shares.slice(0, 3))), "SHARES_WRONG", "deployment")
})

t.test("a passphrase and a command's key open the same seed, and others do not", async (t) => {
  const key = random(32)
  const passphrase = "naïve zebra under the Ångström"
  const { seed, sealed, shares } = await newSet(
    {},
    {
      passphrase: readPassphrase(passphrase),
      command: { key: Secret.copyOf(key), blob: random(100) },
    },
  )
  t.strictSame(bytesOf(await openByPassphrase(sealed, readPassphrase(passphrase))), seed)
  t.strictSame(bytesOf(await openByPassphrase(sealed, readPassphrase(passphrase.normalize("NFD")))), seed)
  t.strictSame(bytesOf(openByKey(sealed, Secret.copyOf(key))), seed)
  t.strictSame(
    bytesOf(await openByShares(sealed, pointsOf(shares.slice(2)))),
    seed,
    "the shares always open it",
  )
  await isRefused(t, () => openByPassphrase(sealed, readPassphrase(`${passphrase} `)), "PASSPHRASE_WRONG")
  await isRefused(t, () => openByKey(sealed, Secret.copyOf(random(32))), "UNSEAL_KEY_WRONG")
  const plain = await newSet()
  await isRefused(t, () => openByPassphrase(plain.sealed, readPassphrase(passphrase)), "SEED_SLOT_MISSING")
  await isRefused(t, () => openByKey(plain.sealed, Secret.copyOf(key)), "SEED_SLOT_MISSING")
})

t.test("a file with any altered bit, or any shorter one, does not open", async (t) => {
  const key = random(32)
  const { seed, sealed, shares } = await newSet({}, { command: { key: Secret.copyOf(key), blob: random(8) } })
  const file = Uint8Array.from(writeSealedSeed(sealed))
  const open = async (bytes: Uint8Array) => {
    const read = readSealedSeed(bytes)
    return [
      bytesOf(await openByShares(read, pointsOf(shares.slice(1, 4)))),
      bytesOf(openByKey(read, Secret.copyOf(key))),
    ]
  }
  t.strictSame(await open(file), [seed, seed])
  const codes = new Set<unknown>()
  const note = (error: { code?: unknown }) => void codes.add(error.code)
  for (const at of file.keys())
    for (const bit of isLong ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8])
      await open(file.with(at, (file[at] ?? 0) ^ (1 << bit))).then(
        () => t.fail(`bit ${bit} of byte ${at}`),
        note,
      )
  for (const length of file.keys())
    await open(file.subarray(0, length)).then(() => t.fail(`length ${length}`), note)
  t.strictSame(
    [...codes].map(String).toSorted(),
    ["SEALED_SEED_DAMAGED", "SHARES_WRONG"],
    "a wrong header changes the check value",
  )
})

t.test("two files of one seed share no key and no nonce", async (t) => {
  const [one, other] = [await newSet(), await newSet({ generation: 2 })]
  await isRefused(t, () => openByShares(one.sealed, pointsOf(other.shares.slice(0, 3))), "SHARES_WRONG")
  t.notSame(one.sealed.nonce, other.sealed.nonce)
})

// Written from docs/formats/sealed-seed.md with Node's own functions, as a holder without this program would.
t.test("the format document suffices to open a file with three shares", async (t) => {
  const { seed, sealed, shares } = await newSet()
  const points = shares.slice(0, 3).map((share) => share.subarray(9, 50))
  const shared = Uint8Array.from({ length: 40 }, (_, at) =>
    interpolate(points.map((point) => [point[40] ?? 0, point[at] ?? 0])),
  )
  const [secret, check] = [shared.subarray(0, 32), shared.subarray(32)]
  const field = (part: Uint8Array | string) => {
    const bytes = Buffer.from(part)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const terms = Buffer.concat([
    field(Uint8Array.of(1, TERMS.generation, 5, 3)),
    field(sealed.header.setId),
    field(DEPLOYMENT),
  ])
  const mac = createHmac("sha256", secret).update("countersign/v1/share-check\0").update(terms).digest()
  t.strictSame(Uint8Array.from(mac.subarray(0, 8)), check)
  const slotKey = Buffer.from(hkdfSync("sha512", secret, "countersign/v1/seed-slot", "shares", 32))
  const [slot] = sealed.header.slots
  const wrapped = slot?.wrappedKey ?? new Uint8Array()
  const slotData = Buffer.concat([field("countersign/v1/seed-slot"), field("shares"), field(terms)])
  const key = openGcm(slotKey, slot?.nonce ?? new Uint8Array(), wrapped, slotData)
  const data = Buffer.concat([field("countersign/v1/sealed-seed"), field(sealed.headerBytes)])
  t.strictSame(Uint8Array.from(openGcm(key, sealed.nonce, sealed.ciphertext, data)), seed)
})

function openGcm(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, data: Uint8Array): Buffer {
  const cipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(data).setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()])
}

/** Lagrange's value at 0 in the field of AES. */
function interpolate(points: readonly (readonly [x: number, y: number])[]): number {
  return points.reduce((sum, [x, y]) => {
    const others = points.filter(([other]) => other !== x)
    const basis = others.reduce(
      (product, [other]) => multiply(product, multiply(other, inverse(other ^ x))),
      1,
    )
    return sum ^ multiply(y, basis)
  }, 0)
}

function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 0, shifted = a; bit < 8; bit += 1) {
    if ((b >> bit) & 1) product ^= shifted
    shifted = (shifted << 1) ^ (shifted & 0x80 ? 0x11b : 0)
  }
  return product
}

function inverse(a: number): number {
  return Array.from({ length: 256 }, (_, b) => b).find((b) => multiply(a, b) === 1) ?? 0
}
