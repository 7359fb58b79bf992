// In place of the package `async-hook-domain`, by which tap finds the test whose code threw in a timer or a promise that nobody waits
// for. The package follows every promise and timer of the process, which makes all of them slower and costs a twentieth of a test's time.
// Here such an error fails the test that began last and has not ended.
import { Base } from "@tapjs/core"

/** Tests that have begun, in that order; those that have ended among them are removed when the next one begins. */
let begun = []

/** The domain of one test: tap makes it with the test and destroys it when the test ends. */
export class Domain {
  destroyed = false
  #fail

  /** @param fail has the error and its origin, and fails the test */
  constructor(fail) {
    this.#fail = fail
    watch()
  }

  onerror(error, origin) {
    this.#fail(error, origin)
  }

  destroy() {
    this.destroyed = true
  }
}

/** The first test is made before any has begun. */
function watch() {
  if (process.listeners("uncaughtExceptionMonitor").includes(failRunning)) return
  process.on("uncaughtExceptionMonitor", failRunning)
  const runMain = Reflect.get(Base.prototype, "runMain")
  Base.prototype.runMain = function (...words) {
    begun = [...begun.filter(hasNotEnded), this]
    return Reflect.apply(runMain, this, words)
  }
}

const hasNotEnded = ({ hookDomain }) => !hookDomain.destroyed

/** Fails the test that runs, and keeps the process. If the code under test has a handler, that handler gets the error. */
function failRunning(error, origin) {
  if (process.hasUncaughtExceptionCaptureCallback() || process.listenerCount("uncaughtException") > 0) return
  const running = begun.findLast(hasNotEnded)
  if (running === undefined) return
  running.hookDomain.onerror(error, origin)
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
}
