// A sent transaction as it waits, is reviewed, is replaced and is cancelled, on a chain that mines between the pictures. Each page
// follows from the one before, so all are opened: npm run appearance -- send
import type { Page } from "playwright-core"
import type { Test } from "tap"
import type { DashboardSystem } from "../harness/dashboard.ts"
import { type Anvil, startAnvil } from "../harness/anvil.ts"
import { submitter } from "../dashboard/steps.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import type { Shown } from "./look.ts"

const RECIPIENT = "0x00000000000000000000000000000000000000AA"

/** The chain of the pages; its address is a setting of the system. */
export const startSendChain = (t: Test): Promise<Anvil> => startAnvil(t, { words: ["--no-mining"] })

/** Pages in the order in which they are opened: each is a step after the one before. */
export async function sendPages({ page, url, directory }: DashboardSystem, chain: Anvil): Promise<Shown[]> {
  const from = readEnvFile(directory)["SIGN_WITH"] ?? ""
  await chain.call("anvil_setBalance", from, "0x56bc75e2d63100000")
  const submit = submitter(directory)
  const dialog = page.getByRole("dialog")
  const becomes = (state: string) => page.getByText(state, { exact: true }).first().waitFor()
  const pay = async () => {
    const fees = { gasLimit: "21000", maxFeePerGas: "2000000000", maxPriorityFeePerGas: "1000000000" }
    const body = {
      from,
      caip2: `eip155:${chain.chainId}`,
      to: RECIPIENT,
      value: "250000000000000000",
      ...fees,
    }
    const { id } = await submit("eth_send_transaction", body)
    await page.goto(`${url}/activity/${id}`)
    await becomes("Signed, waits for a block")
  }
  const review = async (verb: string) => {
    await page.getByRole("button", { name: verb }).click()
    await dialog.getByRole("button", { name: "Review" }).click()
    await dialog.getByRole("heading", { name: "Waiting transaction" }).waitFor()
  }
  const stamp = async (verb: string) => {
    await dialog.getByRole("button", { name: verb }).click()
    await dialog.getByRole("button", { name: "Done" }).click()
    await page.getByRole("link", { name: /^the (?:cancellation|transaction in its place)$/ }).waitFor()
  }
  const mine = async (state: string) => {
    await chain.call("anvil_mine", "0x1")
    await becomes(state)
    await becomes("Included")
  }
  const [replace, cancel] = ["Send with higher fees", "Cancel the transaction"]
  const steps: { [name: string]: () => Promise<unknown> } = {
    "send-waits": pay,
    "send-form": async () => {
      await page.getByRole("button", { name: replace }).click()
      await dialog.getByRole("button", { name: "Review" }).waitFor()
    },
    "send-review": async () => {
      await dialog.getByRole("button", { name: "Keep waiting" }).click()
      await review(replace)
    },
    "send-beside-replacement": () => stamp(replace),
    "send-replaced": () => mine("Replaced"),
    "send-cancelled": async () => {
      await pay()
      await review(cancel)
      await stamp(cancel)
      await mine("Cancelled")
    },
  }
  return Object.entries(steps).map(([name, act]) => ({ name, open: () => opened(page, act) }))
}

async function opened(page: Page, act: () => Promise<unknown>): Promise<Page> {
  await act()
  return page
}
