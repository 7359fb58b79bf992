// The words of a share, as holders type them.
import { wordlist } from "@scure/bip39/wordlists/english.js"
import t from "tap"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { readShareWords, SHARE_WORDS, wordsOfShare } from "../../../../signer/core/sealed-seed/share-words.ts"
import { bytesOf, newSet } from "./sets.ts"

const { shares } = await newSet()
const [share = new Uint8Array()] = shares
const words = wordsOfShare(Secret.copyOf(share))
const read = (typed: readonly string[]) => bytesOf(readShareWords(typed.join(" ")))
const mistyped = (message: RegExp) => ({ code: "SHARE_MISTYPED", message })
/** A word of the list that is not this one. */
const otherThan = (word: string, step = 7) =>
  wordlist[(wordlist.indexOf(word) + step) % wordlist.length] ?? ""

t.test("each share is forty words of the list, and says whose and which it is", async (t) => {
  for (const [index, bytes] of shares.entries()) {
    const own = wordsOfShare(Secret.copyOf(bytes))
    t.equal(own.length, SHARE_WORDS)
    t.ok(own.every((word) => wordlist.includes(word)))
    t.strictSame(bytesOf(readShareWords(own.join(" "))), bytes)
    t.match(readShare(bytes).label, {
      owner: 1,
      deployment: "0199b2c4",
      generation: 1,
      number: index + 1,
      threshold: 3,
    })
  }
})

t.test("capitals, line ends, numbers of lines and four letters of a word are read", async (t) => {
  t.strictSame(bytesOf(readShareWords(words.join("\n").toUpperCase())), share)
  t.strictSame(bytesOf(readShareWords(`  1. ${words.join(",  ")}\r\n`)), share)
  t.strictSame(read(words.map((word) => word.slice(0, 4))), share)
})

t.test("a word that is not on the list is named by its place", async (t) => {
  for (const at of words.keys())
    t.throws(() => read(words.with(at, "zzzz")), mistyped(new RegExp(`^word ${at + 1} is not on the list`)))
})

t.test("a wrong word of the list is named by its place", async (t) => {
  for (const at of [0, 1, 14, 27, 38, 39])
    t.throws(
      () => read(words.with(at, otherThan(words[at] ?? ""))),
      mistyped(new RegExp(`^word ${at + 1} is wrong`)),
    )
})

t.test("two words in the wrong order are named", async (t) => {
  for (let at = 0; at < SHARE_WORDS - 1; at += 1) {
    const [first = "", second = ""] = words.slice(at, at + 2)
    if (first === second) continue
    const swapped = words.toSpliced(at, 2, second, first)
    t.throws(
      () => read(swapped),
      mistyped(new RegExp(`^words ${at + 1} and ${at + 2} are in the wrong order`)),
    )
  }
})

t.test("several wrong words, missing words and words too many are refused", async (t) => {
  const twoWrong = words.with(3, otherThan(words[3] ?? "")).with(20, otherThan(words[20] ?? ""))
  t.throws(() => read(twoWrong), mistyped(/more than one is wrong/))
  t.throws(() => read(words.slice(1)), mistyped(/a share has 40 words, not 39: compare/))
  t.throws(() => read([...words, "zoo"]), mistyped(/40 words, not 41/))
  t.throws(() => read([]), mistyped(/40 words, not 0/))
})

t.test("a fault says the same of every share, so it shows nothing of one", async (t) => {
  const faults = shares.map((bytes) => {
    const own = wordsOfShare(Secret.copyOf(bytes))
    const typed = [own.with(5, "zzzz"), own.with(5, otherThan(own[5] ?? "")), own.slice(3)]
    return typed.map((one) => {
      try {
        return String(read(one))
      } catch (error) {
        return String(error)
      }
    })
  })
  for (const one of faults) t.strictSame(one, faults[0])
  t.match(faults[0], [/word 6/, /word 6/, /not 37/])
})
