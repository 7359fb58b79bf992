// Steps of administrators in the browser, which several files share.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import type { Locator, Page } from "playwright-core"
import type { Test } from "tap"
import { overflow } from "../appearance/look.ts"
import { type DashboardSystem, picture, seriousFindings } from "../harness/dashboard.ts"
import { patienceMs } from "../harness/patience.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { readEnvFile } from "../services/cli/dev-process.ts"
import { isLong } from "../harness/long.ts"

/** Runs a command of the development system as one of its users. */
export function commandOf({ directory }: DashboardSystem) {
  return async (path: string, type: string, parameters: object, as = "root") => {
    const words = ["request", path, JSON.stringify(parameters), "--submit", type, "--prove", "--as", as]
    const { out } = await commandLine({ COUNTERSIGN_DATA_DIR: directory }, ...words)
    return out === "" ? undefined : (JSON.parse(out) as { activity: { id: string } }).activity.id
  }
}

type Submitted = { id: string; status: string; result: { [name: string]: object } }

/** Submits activities of a user of the development system with the published stamper. Each has completed, or waits. */
export function submitter(directory: string, user = "root") {
  const env = readEnvFile(directory)
  const half = (which: string) => readFileSync(join(directory, "keys", `${user}.${which}`), "utf8").trim()
  const stamper = new ApiKeyStamper({ apiPublicKey: half("public"), apiPrivateKey: half("private") })
  const organizationId = env["ORGANIZATION_ID"]
  return async (type: string, parameters: object): Promise<Submitted> => {
    const path = type.replace(/_v\d+$/, "")
    const body = JSON.stringify({
      type: `ACTIVITY_TYPE_${type.toUpperCase()}`,
      timestampMs: String(Date.now()),
      organizationId,
      parameters,
    })
    const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body)
    const reply = await fetch(`${env["BASE_URL"]}/public/v1/submit/${path}`, {
      method: "POST",
      headers: { [stampHeaderName]: stampHeaderValue },
      body,
    })
    const { activity, message } = (await reply.json()) as { activity?: Submitted; message?: string }
    if (activity === undefined || /FAILED|REJECTED/.test(activity.status))
      throw new Error(`${path} answered ${reply.status}: ${message ?? activity?.status}`)
    return activity
  }
}

/** Chooses from the menu of a row, which is named after the row. */
export async function chooseOf(table: Page | Locator, row: string, verb: string): Promise<void> {
  await table.getByRole("button", { name: `Actions for ${row}`, exact: true }).click()
  await table.getByRole("menuitem", { name: verb, exact: true }).click()
}

/** Presses a badge and reads the sentence that it shows. */
export async function explains(
  page: Page,
  within: Locator,
  badge: string | RegExp,
  sentence: string,
): Promise<void> {
  await within.getByRole("button", { name: badge }).first().click()
  await page.getByRole("note").getByText(sentence).waitFor()
  await page.keyboard.press("Escape")
}

/** Goes on to the review. A change without fields begins with it. */
export async function review(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog")
  const button = dialog.getByRole("button", { name: "Review" })
  await button.or(dialog.getByText("What will be stamped")).first().waitFor()
  if (await button.isVisible()) await button.click()
  await dialog.getByText("What will be stamped").waitFor()
}

/** Completes an open dialog: reviews, stamps, and waits for the receipt. */
export async function stamp(page: Page, verb: string): Promise<string> {
  const dialog = page.getByRole("dialog")
  await review(page)
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
  await review(page)
  await dialog.getByLabel(`Type ${name} to go on`).fill(name)
  await dialog.getByRole("button", { name: verb, exact: true }).click()
  await dialog.getByText("Completed").waitFor()
  await dialog.getByRole("button", { name: "Done" }).click()
}

/** The same with the keyboard alone: from a form with the focus, to the receipt, which stays open. */
export async function stampByKeyboard(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole("dialog")
  const button = dialog.getByRole("button", { name: "Review" })
  await button.or(dialog.getByText("What will be stamped")).first().waitFor()
  if (await button.isVisible()) {
    await tabTo(page, "Review")
    await page.keyboard.press("Enter")
  }
  await dialog.getByText("What will be stamped").waitFor()
  await tabTo(page, verb)
  await page.keyboard.press("Enter")
  await dialog.getByText("Completed").waitFor()
  await dialog.getByText("Proof checked against this browser’s pins").waitFor()
}

/**
 * Ends a page's test: checks that it has no serious accessibility finding on a phone in the dark; in the long form also each of its
 * states and wide and light, and takes pictures of it. `npm run appearance` checks every width in both themes.
 */
export function finisher(page: Page) {
  return async (t: Test, name: string) => {
    await page.waitForLoadState("networkidle")
    if (isLong) t.strictSame(await seriousFindings(page), [], `${name} has no serious accessibility finding`)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: "dark" })
    // A name of two words is a page in another state.
    const serious = isLong || !name.includes("-") ? await seriousFindings(page) : []
    t.strictSame(
      [...serious, ...(await overflow(page))],
      [],
      `${name} has none on a phone in the dark, and is not wider than it`,
    )
    await page.emulateMedia({ colorScheme: null })
    await page.setViewportSize({ width: 1440, height: 900 })
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

/** Name of the element with the focus, also inside the editor, which is a tree of its own. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement as HTMLInputElement | null
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement as HTMLInputElement
    // A dialog is no stop of Tab, and may have the name of a button in it.
    if (element?.matches("dialog")) return `dialog ${element.ariaLabel}`
    return (
      element?.labels?.[0]?.textContent ?? element?.getAttribute("aria-label") ?? element?.textContent ?? ""
    )
  })

const FOLLOW_MS = patienceMs(60_000)
/** After this time the key press is taken for lost. */
const SECOND_TRY_MS = patienceMs(5_000)

/** Stops of Tab on a page, at most. */
const MOST_STOPS = 80

/** Presses Tab until the element of this name has the focus; not at all if it has it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < MOST_STOPS; i++) {
    if ((await focused(page)).trim() === name) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`no ${name} is reached by Tab`)
}

/**
 * Follows a link with the keyboard. A list that is read again just then has the same link anew, without the focus: then it is reached
 * again, as by a person.
 */
export async function followByKeyboard(page: Page, name: string, isThere: Locator): Promise<void> {
  for (const giveUp = performance.now() + FOLLOW_MS; performance.now() < giveUp; ) {
    // The page it leads to has no such link, and may be slow to show.
    await tabTo(page, name).then(
      () => page.keyboard.press("Enter"),
      () => undefined,
    )
    const hasLeft = await isThere.waitFor({ timeout: SECOND_TRY_MS }).then(
      () => true,
      () => false,
    )
    if (hasLeft) return
  }
  throw new Error(`${name} does not lead there`)
}

/** Presses Tab until this element has the focus. */
export async function tabToElement(page: Page, element: Locator): Promise<void> {
  for (let i = 0; i < MOST_STOPS; i++) {
    if (await element.evaluate((one) => one === document.activeElement)) return
    await page.keyboard.press("Tab")
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

/** Goes to a page by the palette. */
export async function turnTo(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox", { name: /^Search/ }).waitFor()
  await page.keyboard.type(name)
  await page.getByRole("option", { name, exact: false }).first().waitFor()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name }).waitFor()
}
