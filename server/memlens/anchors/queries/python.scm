; Module- and class-level names; what is inside a function is local and dropped by the reader.
(function_definition name: (identifier) @name) @definition.function
(decorated_definition
  (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
  definition: (function_definition name: (identifier) @name) @declaration.function
  (#eq? @_decorator "overload"))
(class_definition name: (identifier) @name) @definition.type
(type_alias_statement left: (type (identifier) @name)) @definition.type

; A property is read like a field, and no more telling a name than one.
(decorated_definition
  (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
  definition: (function_definition name: (identifier) @name body: (block) @scope) @accessor.field
  (#any-of? @_decorator "property" "cached_property" "cached" "reify" "setter" "deleter"))

(assignment left: (identifier) @name right: (_) @value) @definition.constant
(assignment left: (identifier) @name !right) @definition.field
; With a type, in a class, it is a field that has a default.
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name type: (_)) @accessor.field)))
(assignment left: (pattern_list (identifier) @name)) @definition.constant
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name)) @member.field

(lambda) @scope
