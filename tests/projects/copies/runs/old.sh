# plan for about 4.3 hours of encoding
# and then for about 145 s of encoding again
