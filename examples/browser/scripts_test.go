package browser

// contrastScript returns the visible texts whose contrast with their background is
// less than WCAG 2 requires at level AA (1.4.3): 4.5 to 1, or 3 to 1 for large text.
const contrastScript = `(() => {
  const channels = color => { const c = color.match(/[\d.]+/g).map(Number); return c.length < 4 ? [...c, 1] : c }
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1)
  const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2])
  const ground = e => e ? over(channels(getComputedStyle(e).backgroundColor), ground(e.parentElement)) : [255, 255, 255, 1]
  const faults = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let seen = 0
  for (let n; n = walker.nextNode();) {
    const e = n.parentElement, style = getComputedStyle(e)
    if (!n.data.trim() || !e.checkVisibility({visibilityProperty: true})) continue
    seen++
    const behind = ground(e), front = over(channels(style.color), behind)
    const [light, dark] = [luminance(behind), luminance(front)].sort((a, b) => b - a)
    const ratio = (light + 0.05) / (dark + 0.05), size = parseFloat(style.fontSize)
    const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700
    if (ratio < (large ? 3 : 4.5)) faults.add(e.tagName + "." + e.className + ": contrast " + ratio.toFixed(2) + " of " + style.color + " on " + behind)
  }
  if (seen < 8) faults.add("only " + seen + " texts were seen")
  return [...faults]
})()`

// widthScript returns the elements outside of tables that are not completely in the window while
// it scrolls to the right, and those that scroll themselves: there is one scroll bar for each
// direction. Code with long lines may scroll.
const widthScript = `(() => {
  const faults = new Set(), root = document.documentElement, at = scrollX, shown = e => e.checkVisibility() && !e.closest(".hidden, .skip")
  const name = e => e.tagName + "." + e.className
  for (const x of [0, root.scrollWidth]) {
    scrollTo(x, scrollY)
    for (const e of document.querySelectorAll("body > header, body > header *, main > :not(.table), main > :not(.table) *")) {
      const box = e.getBoundingClientRect()
      if (shown(e) && box.width > 0 && (box.right > root.clientWidth + 1 || box.left < 0)) faults.add(name(e) + " at " + scrollX + ": " + box.left + " to " + box.right)
    }
  }
  scrollTo(at, scrollY)
  for (const e of document.querySelectorAll("body *")) {
    const scrolls = /auto|scroll/.test(getComputedStyle(e).overflow)
    if (scrolls && shown(e) && !e.matches(".whole, textarea, select, pre.code, pre:not([class])") && (e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth)) faults.add(name(e) + " scrolls")
  }
  return [...faults]
})()`

// focusScript describes the focused element: its name, whether it has a focus ring,
// and whether it is in view.
const focusScript = `(() => {
  const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect()
  return {
    name: e.id || e.innerText.trim().split("\n")[0] || e.className,
    body: e === document.body,
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    inView: box.bottom > 0 && box.top < innerHeight && box.width > 0,
  }
})()`
