import Theme from "vitepress/theme-without-fonts"
import "../../../services/dashboard/styles/tokens.css"
import { correctSearchBox } from "./search-box.mjs"
import "./style.css"

export default {
  extends: Theme,
  enhanceApp() {
    // Pages are built without a document.
    if (typeof document !== "undefined") correctSearchBox()
  },
}
