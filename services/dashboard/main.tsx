// oxlint-disable-next-line import/no-unassigned-import -- before all other modules, which use Buffer
import "./platform/globals.ts"
import { render } from "preact"
import { App } from "./app.tsx"

render(<App />, document.querySelector("#app") as HTMLElement)
