// A wallet in the browser: imported, signed with, and deleted.
import type { Request } from "playwright-core"
import type { Test } from "tap"
import { verifyMessage } from "viem"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { chooseOf, opener, stamp, stampGrave } from "./steps.ts"

/** Mnemonic and first address of BIP-39's first vector, as published wallets derive it. */
const [MNEMONIC, ADDRESS] = [
  `${"abandon ".repeat(11)}about`,
  "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
] as const

export async function walletRuns(t: Test, { page, url }: DashboardSystem): Promise<void> {
  const open = opener(page, url)
  const dialog = page.getByRole("dialog")

  await t.test("C-1824: an import sends nothing before words and checksum fit", async (t) => {
    await open("/wallets")
    await page.waitForLoadState("networkidle")
    const sent: string[] = []
    const note = (request: Request) => request.url().includes("/submit/") && sent.push(request.url())
    page.on("request", note)
    await page.getByRole("button", { name: "Import" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Imported")
    for (const [text, sentence] of [
      [MNEMONIC.replace("about", "abuot"), /^Word 12 is not in the English list/],
      [MNEMONIC.replace("about", "abandon"), /^The checksum does not fit/],
    ] as const) {
      await dialog.getByLabel("Mnemonic").fill(text)
      await dialog.getByRole("button", { name: "Review" }).click()
      await dialog.getByRole("alert").getByText(sentence).waitFor()
    }
    t.strictSame(sent, [])
    await dialog.getByLabel("Mnemonic").fill(MNEMONIC)
    t.match(await stamp(page, "Import wallet"), `${ADDRESS.slice(0, 8)}…${ADDRESS.slice(-6)}`)
    page.off("request", note)
    t.equal(sent.length, 2, "the import key, and the import")
  })

  await t.test("C-1828: a wallet signs a message as other wallets verify it, and is deleted", async (t) => {
    await page.getByRole("link", { name: "Imported", exact: true }).click()
    await page.getByRole("button", { name: "Sign message" }).click()
    await dialog.getByRole("textbox", { name: "Message" }).fill("pay nobody")
    const receipt = await stamp(page, "Sign message")
    const [signature = ""] = /0x[0-9a-f]{130}/.exec(receipt) ?? []
    const isValid = await verifyMessage({
      address: ADDRESS,
      message: "pay nobody",
      signature: signature as `0x${string}`,
    })
    t.ok(isValid, "viem verifies it")
    await chooseOf(page, "Imported", "Delete")
    await dialog.getByText("no copy of its mnemonic exists", { exact: false }).waitFor()
    await stampGrave(page, "Delete wallet", "Imported")
    await page.getByRole("heading", { name: "Wallets" }).waitFor()
    await page.getByRole("link", { name: "First", exact: true }).waitFor()
    t.equal(await page.getByRole("link", { name: "Imported", exact: true }).count(), 0)
  })
}
