// Shares as holders give them: one at a time, the wrong ones named, none kept for long.
import t, { type Test } from "tap"
import { SeedOwner } from "../../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { GivenShares, SHARES_KEPT_MS } from "../../../../signer/core/sealed-seed/given-shares.ts"
import { readShare, writeShare } from "../../../../signer/core/sealed-seed/share.ts"
import { bytesOf, newSet, random, TERMS } from "./sets.ts"

const own = await newSet()
const [first, second, third, fourth] = own.shares as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]

async function isRefused(
  t: Test,
  given: GivenShares,
  bytes: Uint8Array,
  code: string,
  message: RegExp,
): Promise<void> {
  const before = given.progress
  await t.rejects(given.give(bytes, 0), { code, message })
  t.strictSame(given.progress, before, "nothing changed")
}

t.test("the threshold opens the seed, in any order, and nothing waits afterwards", async (t) => {
  const given = new GivenShares(own.sealed)
  t.equal(await given.give(fourth, 0), undefined)
  t.equal(await given.give(first, 1), undefined)
  t.strictSame(given.progress, { given: [1, 4], threshold: 3 })
  const seed = await given.give(third, 2)
  t.strictSame(seed && bytesOf(seed), own.seed)
  t.strictSame(given.progress.given, [])
})

t.test("a doubled share is named, and counts once", async (t) => {
  const given = new GivenShares(own.sealed)
  await given.give(second, 0)
  await isRefused(
    t,
    given,
    second,
    "SHARE_REPEATED",
    /^share 2 of the signer, deployment 0199b2c4, generation 1, was given already/,
  )
})

t.test("a share of another process, deployment, generation or ceremony is named", async (t) => {
  const given = new GivenShares(own.sealed)
  await given.give(first, 0)
  const others = [
    [
      { owner: SeedOwner.FETCHER },
      /this is share 2 of the fetcher, .* this seed is the signer's.*: take the line of that process/,
    ],
    [
      { deploymentId: "0299b2c4-7a10-8000-8000-3f6d5c2b1a09" },
      /deployment 0299b2c4, .*: take the sheet of this deployment/,
    ],
    [{ generation: 2 }, /generation 2, .* generation 1: the shares were changed/],
    [{}, /another ceremony of the same generation/],
  ] as const
  for (const [terms, message] of others) {
    const { shares } = await newSet({ ...TERMS, ...terms })
    await isRefused(t, given, shares[1]!, "SHARE_FOREIGN", message)
  }
  const { header } = own.sealed
  for (const terms of [{ threshold: 2 }, { shares: 5, number: 6 }]) {
    const share = writeShare(
      { ...header, ...terms },
      "number" in terms ? terms.number : 2,
      Secret.copyOf(random(41)),
    )
    await isRefused(t, given, bytesOf(share), "SHARE_FOREIGN", /another ceremony/)
  }
})

t.test(
  "an altered share is refused, alone by its checksum and with a right checksum together with the others",
  async (t) => {
    const given = new GivenShares(own.sealed)
    for (const at of first.keys())
      await isRefused(
        t,
        given,
        first.with(at, (first[at] ?? 0) ^ 1),
        "SHARE_MISTYPED",
        /^a share has 40 words/,
      )
    await isRefused(t, given, first.subarray(1), "SHARE_MISTYPED", /altered or incomplete/)
    const forged = writeShare(own.sealed.header, 1, Secret.copyOf(random(41)))
    for (const share of [bytesOf(forged), second]) await given.give(share, 0)
    await t.rejects(given.give(third, 0), { code: "SHARES_WRONG", message: /all of them were forgotten/ })
    t.strictSame(given.progress.given, [])
    const twin = writeShare(own.sealed.header, 1, readShare(second).point)
    for (const share of [bytesOf(twin), second]) await given.give(share, 0)
    await t.rejects(given.give(third, 0), { code: "SHARES_WRONG" }, "two shares with one coordinate")
    for (const share of [first, second]) await given.give(share, 0)
    const seed = await given.give(third, 0)
    t.strictSame(seed && bytesOf(seed), own.seed, "the right ones still open it")
  },
)

t.test("shares of a later format, and impossible numbers, are refused", async (t) => {
  const given = new GivenShares(own.sealed)
  const { header } = own.sealed
  const point = () => Secret.copyOf(random(41))
  const refused = [
    [writeShare({ ...header, owner: 9 as SeedOwner }, 1, point()), /of a later release/],
    [writeShare({ ...header, owner: 0x21 as SeedOwner }, 1, point()), /of a later release/],
    [writeShare(header, 0, point()), /impossible number/],
    [writeShare({ ...header, threshold: 1 }, 1, point()), /impossible number or threshold/],
  ] as const
  for (const [share, message] of refused) await isRefused(t, given, bytesOf(share), "SHARE_MISTYPED", message)
})

t.test("shares that wait are forgotten after their time, and when the seed is locked", async (t) => {
  const given = new GivenShares(own.sealed)
  await given.give(first, 1_000)
  given.forgetOld(1_000 + SHARES_KEPT_MS - 1)
  t.strictSame(given.progress.given, [1])
  await given.give(second, 2_000)
  given.forgetOld(1_000 + SHARES_KEPT_MS)
  t.strictSame(given.progress.given, [1, 2], "each share renews the time")
  t.equal(await given.give(third, 2_000 + SHARES_KEPT_MS), undefined, "two are too old, so this is the first")
  t.strictSame(given.progress.given, [3])
  given.forget()
  t.strictSame(given.progress.given, [])
})
