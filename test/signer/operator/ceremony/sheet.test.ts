// A holder's sheet, on a terminal and on paper.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { wordsOfShare } from "../../../../signer/core/sealed-seed/share-words.ts"
import { SheetFolder } from "../../../../signer/operator/ceremony/sheet-folder.ts"
import { type Sheet, sheetPage, sheetScreens } from "../../../../signer/operator/ceremony/sheet.ts"
import { DEPLOYMENT, newSet } from "../../core/sealed-seed/sets.ts"

const TMPFS = 0x0102_1994

const { shares } = await newSet()
const words = wordsOfShare(Secret.copyOf(shares[1]!))
const { label } = readShare(shares[1]!)
const sheet: Sheet = { deploymentId: DEPLOYMENT, number: 2, holders: 5, lines: [{ label, words }] }

t.test("a sheet says which share it is, and has the forty words in order", async (t) => {
  for (const text of [sheetScreens(sheet)[0]!.join("\n"), sheetPage(sheet)]) {
    t.match(text, /share 2 of 5/i)
    t.match(text, DEPLOYMENT)
    t.match(text, /signer: generation 1, 3 shares open it/)
    const places = words.map((word, index) => text.indexOf(`${String(index + 1).padStart(2)} ${word}`))
    t.ok(
      places.every((place, index) => place > (places[index - 1] ?? 0)),
      "in order",
    )
  }
})

t.test("C-1846: a console of 24 rows shows all words of a process above the question", (t) => {
  const screens = sheetScreens({ ...sheet, lines: [...sheet.lines, ...sheet.lines, ...sheet.lines] })
  t.equal(screens.length, 3, "a screen for each process")
  for (const screen of screens) {
    const visible = screen.slice(-20).join("\n")
    t.match(visible, /Share 2, signer: generation 1/)
    t.ok(words.every((word, index) => visible.includes(`${String(index + 1).padStart(2)} ${word}`)))
  }
  t.end()
})

t.test("the page loads nothing and runs nothing", async (t) => {
  const page = sheetPage(sheet)
  t.notMatch(page, /<script|<link|<img|<iframe|url\(|javascript:| on\w+=/i)
  t.strictSame(page.match(/https?:[^"\s]*/g), ["http://www.w3.org/2000/svg"], "the name of SVG alone")
  t.match(page, /<svg /)
})

const isMemory = existsSync("/dev/shm") && statfsSync("/dev/shm").type === TMPFS
t.test(
  "a folder on a disk is refused, and a page is there until its share was typed back",
  { skip: isMemory ? false : "needs a file system in memory at /dev/shm: not run" },
  async (t) => {
    t.throws(() => new SheetFolder("/nowhere/there"), /does not exist/)
    t.throws(() => new SheetFolder("/proc"), /is on a disk/)
    const directory = mkdtempSync("/dev/shm/cs-sheets-")
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    const folder = new SheetFolder(directory)
    const file = folder.write(sheet)
    t.equal(file, join(directory, "share-2.html"))
    t.equal(statSync(file).mode & 0o777, 0o600)
    t.equal(readFileSync(file, "utf8"), sheetPage(sheet))
    folder.remove(file)
    t.strictSame(readdirSync(directory), [])
  },
)
