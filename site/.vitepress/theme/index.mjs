import Theme from "vitepress/theme-without-fonts"
import "../../../services/dashboard/styles/tokens.css"
import "./style.css"

export default Theme
