// Steps of administrators in the browser, which several files share.
import type { Locator, Page } from "playwright-core"
import type { Test } from "tap"
import { type DashboardSystem, picture, seriousFindings } from "../harness/dashboard.ts"
import { runProgram } from "../services/cli/dev-process.ts"

/** Runs a command of the development system as one of its users. */
export function commandOf({ directory }: DashboardSystem) {
  return async (path: string, type: string, parameters: object, as = "root") => {
    const words = ["request", path, JSON.stringify(parameters), "--submit", type, "--prove", "--as", as]
    const { out } = await runProgram(directory, "services/cli/main.ts", ...words)
    return out === "" ? undefined : (JSON.parse(out) as { activity: { id: string } }).activity.id
  }
}

/** Completes an open dialog: reviews, stamps, and waits for the receipt. */
export async function stamp(page: Page, verb: string): Promise<string> {
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Review" }).click()
  await dialog.getByText("What will be stamped").waitFor()
  await dialog.getByRole("button", { name: verb, exact: true }).click()
  await dialog.getByText("Completed").waitFor()
  await dialog.getByText("Proof checked against this browser’s pins").waitFor()
  const text = await dialog.innerText()
  await dialog.getByRole("button", { name: "Done" }).click()
  return text
}

/** Completes an open dialog of a grave act, whose name has to be typed. */
export async function stampGrave(page: Page, verb: string, name: string): Promise<void> {
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Review" }).click()
  await dialog.getByLabel(`Type ${name} to go on`).fill(name)
  await dialog.getByRole("button", { name: verb, exact: true }).click()
  await dialog.getByText("Completed").waitFor()
  await dialog.getByRole("button", { name: "Done" }).click()
}

/** The same with the keyboard alone: from a form with the focus, to the receipt, which stays open. */
export async function stampByKeyboard(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole("dialog")
  await tabTo(page, "Review")
  await page.keyboard.press("Enter")
  await dialog.getByText("What will be stamped").waitFor()
  await tabTo(page, verb)
  await page.keyboard.press("Enter")
  await dialog.getByText("Completed").waitFor()
  await dialog.getByText("Proof checked against this browser’s pins").waitFor()
}

/** Ends a page's test: checks that it has no serious accessibility finding, and takes pictures of it. */
export function finisher(page: Page) {
  return async (t: Test, name: string) => {
    await page.waitForLoadState("networkidle")
    t.strictSame(await seriousFindings(page), [], `${name} has no serious accessibility finding`)
    await picture(page, name)
  }
}

/** Opens a page by its path. */
export function opener(page: Page, url: string) {
  return async (path: string) => {
    await page.goto(url + path)
    await page.getByRole("navigation", { name: "Pages" }).waitFor()
  }
}

/** The login that the browser keeps, and whether a script could read its key. */
export function readLogin(): Promise<object> {
  return new Promise((resolve) => {
    const opening = indexedDB.open("countersign", 1)
    opening.addEventListener("success", () => {
      const request = opening.result.transaction("login").objectStore("login").get("current")
      request.addEventListener("success", () => {
        const { by, key } = request.result as { by: string; key?: { privateKey: CryptoKey } }
        resolve({ by, hasKey: key !== undefined, extractable: key?.privateKey.extractable ?? null })
      })
    })
  })
}

export const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null
    return (
      element?.labels?.[0]?.textContent ?? element?.getAttribute("aria-label") ?? element?.textContent ?? ""
    )
  })

/** Presses Tab until the element of this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab")
    if ((await focused(page)).trim() === name) return
  }
  throw new Error(`no ${name} is reached by Tab`)
}

/** Presses Tab until this element has the focus. */
export async function tabToElement(page: Page, element: Locator): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab")
    if (await element.evaluate((one) => one === document.activeElement)) return
  }
  throw new Error("an element is not reached by Tab")
}

/** Two requests of alice that wait for bob, under a policy that asks for both. */
export async function askForVotes(command: ReturnType<typeof commandOf>, signWith: string) {
  const condition = "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'"
  const consensus = "approvers.any(user, user.alias == 'alice') && approvers.any(user, user.alias == 'bob')"
  const policy = { policyName: "two-of-treasury", effect: "EFFECT_ALLOW", condition, consensus, notes: "" }
  await command("create_policy", "create_policy_v3", policy)
  const request = (payload: object) =>
    command("sign_raw_payload", "sign_raw_payload_v2", { signWith, ...payload }, "alice")
  const text = {
    payload: "pay the supplier",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  }
  const digest = {
    payload: "aa".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  return { message: await request(text), digest: await request(digest) }
}
