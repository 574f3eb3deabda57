/** Makes an element. Text is always set as text: nothing that an agent or a person wrote is ever parsed as markup. */
export const element = (tag, properties = {}, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else if (name in made && name !== "role") made[name] = value
    else made.setAttribute(name, value)
  }
  made.append(...children.filter((child) => child !== undefined && child !== null))
  return made
}

export const byId = (id) => document.getElementById(id)
