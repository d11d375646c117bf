import { useEffect, useState } from "preact/hooks";

export interface Route {
  page: string;
  query: URLSearchParams;
}

const current = (): Route => ({
  page: location.pathname.replace(/^\/|\/$/g, "") || "live",
  query: new URLSearchParams(location.search),
});

const listeners = new Set<() => void>();

/** Goes to an address of this page. `replace` leaves no step in the history. */
export function go(address: string, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  for (const listener of listeners) listener();
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const update = () => setRoute(current());
    listeners.add(update);
    addEventListener("popstate", update);
    return () => {
      listeners.delete(update);
      removeEventListener("popstate", update);
    };
  }, []);
  return route;
}

/** The address of the present page with some of its query changed; an empty value removes a key. */
export function address(changes: Record<string, string>, page = location.pathname): string {
  const query = new URLSearchParams(page === location.pathname ? location.search : "");
  for (const [key, value] of Object.entries(changes)) {
    if (value === "") query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  return text === "" ? page : `${page}?${text}`;
}
