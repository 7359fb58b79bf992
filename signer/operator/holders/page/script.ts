import type { PageResult, PageStep } from "./step.ts"

/* oxlint-disable unicorn/consistent-function-scoping -- the browser gets the text of one function */

/** The page's script. The browser gets this function's own text, so it uses nothing from outside. It shows texts and makes none. */
export function passkeyPage(): void {
  let present: PageStep | undefined
  const byId = (id: string) => document.getElementById(id)!
  const put = (id: string, text: string) => {
    byId(id).textContent = text
  }
  const call = async (init?: RequestInit): Promise<PageStep | PageResult> => {
    const response = await fetch("step", init)
    const json = (await response.json()) as (PageStep | PageResult) & { message?: string }
    if (!response.ok) throw new Error(json.message)
    return json
  }
  const answerTo = async (step: PageStep): Promise<Credential | null> => {
    if ("create" in step) {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(step.create)
      return navigator.credentials.create({ publicKey })
    }
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(step.get)
    return navigator.credentials.get({ publicKey })
  }
  const finish = ({ line, file }: PageResult) => {
    put("line", line)
    byId("act").hidden = true
    byId("result").hidden = false
    const link = byId("download") as HTMLAnchorElement
    link.href = URL.createObjectURL(new Blob([`${line}\n`], { type: "application/json" }))
    link.download = file
    byId("copy").addEventListener("click", () => {
      ;(byId("line") as HTMLTextAreaElement).select()
      void navigator.clipboard.writeText(line).then(() => put("copy", "Copied"))
    })
  }
  const show = (step: PageStep | PageResult) => {
    put("title", step.title)
    if ("line" in step) return finish(step)
    put("text", step.lines.join("\n"))
    put("go", step.button)
    byId("act").hidden = false
    present = step
  }
  const attempt = async (run: () => Promise<PageStep | PageResult>) => {
    put("fault", "")
    try {
      show(await run())
    } catch (error) {
      put("fault", (error as Error).message)
    }
  }
  const ask = (step: PageStep) =>
    attempt(async () => {
      const body = JSON.stringify(await answerTo(step))
      return call({ method: "POST", headers: { "content-type": "application/json" }, body })
    })
  byId("go").addEventListener("click", () => present && void ask(present))
  void attempt(call)
}
