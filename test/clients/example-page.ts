import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import axe from "axe-core"
import type { Test } from "tap"
import { packageRoot } from "../../services/terminal-client/settings.ts"
import type { Page } from "../harness/chromium.ts"
import { devEnvironment } from "../services/cli/dev-process.ts"

/** Starts an example that serves a page. Returns the page's address once it is ready. */
export async function startExample(
  t: Test,
  name: string,
  directory: string,
  ports: NodeJS.ProcessEnv,
): Promise<string> {
  const child = spawn(process.execPath, [join(packageRoot, `examples/${name}.ts`)], {
    env: { ...devEnvironment(directory), ...ports },
    stdio: ["ignore", "pipe", "inherit"],
  })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGINT")
    await once(child, "exit")
  })
  let url = ""
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("Page")) url = line.split(/ +/)[1] ?? ""
    if (line.startsWith("Ready")) return url
  }
  throw new Error("the example ended before it was ready")
}

/** Rules of axe-core that the open page breaks seriously. */
export function seriousFindings(page: Page): Promise<string[]> {
  return page.run(`${axe.source};
    const { violations } = await window.axe.run({ resultTypes: ["violations"] })
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id }) => id)`)
}
