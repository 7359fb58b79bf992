import { fork } from "node:child_process"

/** A program of the bench in a process of its own: asked one question at a time. */
export type Child = {
  pid: number
  ask(question: object): Promise<unknown>
  stop(): Promise<void>
}

/** Starts a program that calls `answerQuestions`; resolves once it says that it is ready. */
export async function startChild(file: URL, settings: object = {}): Promise<Child> {
  const child = fork(file, [JSON.stringify(settings)], { serialization: "advanced" })
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const reply = () =>
    new Promise<unknown>((resolve, reject) => {
      const onExit = () => reject(new Error(`${file.pathname.split("/").at(-1)} ended by itself`))
      child.once("exit", onExit)
      child.once("message", (message) => {
        child.off("exit", onExit)
        const { answer, fault } = message as Reply
        if (fault === undefined) resolve(answer)
        else reject(new Error(fault))
      })
    })
  await reply()
  return {
    pid: child.pid ?? 0,
    ask(question) {
      const answer = reply()
      child.send(question)
      return answer
    },
    async stop() {
      child.kill("SIGTERM")
      await exited
    },
  }
}

type Reply = { answer?: unknown; fault?: string }

/** In the child: what `startChild` was given. */
export function readSettings(): unknown {
  return JSON.parse(process.argv[2] ?? "{}")
}

/** In the child: says that it is ready, then answers in the order of the questions until its parent is gone. */
export function answerQuestions(answer: (question: never) => unknown): void {
  const reply = async (question: unknown): Promise<Reply> => {
    try {
      return { answer: await answer(question as never) }
    } catch (error) {
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  process.on("message", (question) => void reply(question).then((message) => process.send?.(message)))
  process.once("disconnect", () => process.exit())
  process.on("SIGINT", () => undefined) // meant for the parent, which stops us in order
  process.send?.({ answer: "ready" })
}
