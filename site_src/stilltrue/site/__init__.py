"""The site's door: claim cards, bound numbers and generated pages; it holds no rule of the domain."""
